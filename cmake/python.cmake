# rushlight._C, through nanobind.
if(NOT Python_Development.Module_FOUND)
  message(FATAL_ERROR "the Python headers were not found; turn RUSHLIGHT_BUILD_PYTHON off to build "
    "only the C++ library")
endif()
execute_process(
  COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(nanobind CONFIG REQUIRED)
file(GLOB BINDING_SOURCES CONFIGURE_DEPENDS csrc/bindings/*.cpp)
if(BINDING_SOURCES)
  nanobind_add_module(_C NB_STATIC LTO ${BINDING_SOURCES} ${GENERATED_DIR}/faces.cpp)
  add_dependencies(_C rushlight_ops)
  if(RUSHLIGHT_UNITY)
    group_sources(_C 5 ${BINDING_SOURCES})
  endif()
  target_include_directories(_C PRIVATE csrc ${GENERATED_DIR})
  target_link_libraries(_C PRIVATE rushlight_flags rushlight)
  # A kernel that changes is no reason to link this again.
  set_target_properties(_C PROPERTIES INSTALL_RPATH "$ORIGIN/lib" LINK_DEPENDS_NO_SHARED ON)
endif()
add_subdirectory(csrc/shm)
if(EXISTS ${PROJECT_SOURCE_DIR}/csrc/pytree/CMakeLists.txt)
  add_subdirectory(csrc/pytree)
endif()
