# Flags every target of ours is compiled with.
add_library(rushlight_flags INTERFACE)
target_compile_options(rushlight_flags INTERFACE
  -Wall -Wextra -Werror -fno-math-errno
  # Members left out of an initialiser take the default written beside them.
  -Wno-missing-field-initializers
  # GCC reports members of moved-from variants and small inline arrays that are never read.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # GCC 12 misreads operator+ of std::string (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # GCC's vector types change their calling convention with the instruction set; all of ours
  # stay inside one file.
  -Wno-psabi)
if(RUSHLIGHT_SANITIZE)
  target_compile_options(rushlight_flags INTERFACE
    -fsanitize=${RUSHLIGHT_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(rushlight_flags INTERFACE -fsanitize=${RUSHLIGHT_SANITIZE})
endif()
