# librushlight: the engine, with the kernels compiled once per CPU capability.
file(GLOB ENGINE_SOURCES CONFIGURE_DEPENDS
  core/*.cpp cpu/*.cpp ir/*.cpp ir/shape/*.cpp lazy/*.cpp passes/*.cpp runtime/*.cpp
  kernels/portable/*.cpp)
file(GLOB KERNEL_SOURCES CONFIGURE_DEPENDS kernels/*.cpp kernels/pointwise/*.cpp)

set_source_files_properties(runtime/model.cpp PROPERTIES
  COMPILE_DEFINITIONS RUSHLIGHT_VERSION="${PROJECT_VERSION}")
add_library(rushlight_engine OBJECT ${ENGINE_SOURCES} ${GENERATED_TABLES})
set(ENGINE_TARGETS rushlight_engine)

# -ffp-contract=off keeps scalar tails and vector bodies equal to the last bit; kernels that want
# fused multiply-add ask for it.
function(add_kernels capability)
  add_library(rushlight_kernels_${capability} OBJECT ${KERNEL_SOURCES} ${GENERATED_KERNELS})
  target_compile_definitions(rushlight_kernels_${capability} PRIVATE RL_CPU=${capability})
  target_compile_options(rushlight_kernels_${capability} PRIVATE
    -O3 -fno-trapping-math -ffp-contract=off ${ARGN})
  string(TOUPPER ${capability} upper)
  target_compile_definitions(rushlight_engine PRIVATE RL_HAVE_${upper})
  set(ENGINE_TARGETS ${ENGINE_TARGETS} rushlight_kernels_${capability} PARENT_SCOPE)
endfunction()

# A developer may build fewer (-DRUSHLIGHT_CAPABILITIES=avx2); packages are built with all.
set(RUSHLIGHT_CAPABILITIES "baseline;avx2;avx512" CACHE STRING "CPU capabilities to build kernels for")
# Old machines get -O2: a sixth less of the compiler's time goes into kernels that few run.
set(FLAGS_baseline -O2 $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=dynamic>)
set(FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(FLAGS_avx512 ${FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl
  -mprefer-vector-width=512)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(RUSHLIGHT_CAPABILITIES baseline)
endif()
foreach(capability ${RUSHLIGHT_CAPABILITIES})
  add_kernels(${capability} ${FLAGS_${capability}})
endforeach()

# Loops worth -O3 are in kernels; the rest compiles faster without.
file(GLOB PORTABLE_KERNELS CONFIGURE_DEPENDS kernels/portable/*.cpp)
target_compile_options(rushlight_engine PRIVATE $<$<CONFIG:Release>:-O2>)
set_source_files_properties(${PORTABLE_KERNELS} PROPERTIES COMPILE_OPTIONS -O3)

if(RUSHLIGHT_UNITY)
  # Not the portable kernels: they are long, and have flags of their own.
  foreach(folder core ir ir/shape lazy passes runtime)
    file(GLOB SHORT_SOURCES CONFIGURE_DEPENDS ${folder}/*.cpp)
    group_sources(rushlight_engine 6 ${SHORT_SOURCES})
  endforeach()
  group_sources(rushlight_engine 8 ${GENERATED_TABLES})
  file(GLOB SHORT_SOURCES CONFIGURE_DEPENDS kernels/pointwise/*.cpp)
  foreach(capability ${RUSHLIGHT_CAPABILITIES})
    group_sources(rushlight_kernels_${capability} 4 ${SHORT_SOURCES})
  endforeach()
endif()

foreach(target ${ENGINE_TARGETS})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${GENERATED_DIR})
  # Halves the build time: a kernel file is short, the headers it needs are not.
  if(target MATCHES kernels)
    target_precompile_headers(${target} PRIVATE kernels/precompiled_vectors.h)
  else()
    target_precompile_headers(${target} PRIVATE precompiled.h)
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  target_link_libraries(${target} PRIVATE rushlight_flags openblas Threads::Threads)
  add_dependencies(${target} rushlight_ops)
endforeach()

set(ENGINE_OBJECTS)
foreach(target ${ENGINE_TARGETS})
  list(APPEND ENGINE_OBJECTS $<TARGET_OBJECTS:${target}>)
endforeach()
add_library(rushlight SHARED ${ENGINE_OBJECTS})
target_link_libraries(rushlight PRIVATE rushlight_flags openblas Threads::Threads)
target_link_options(rushlight PRIVATE -Wl,--gc-sections)
# The engine's own programs and tests look inside; installed headers mark what is public.
set_target_properties(rushlight PROPERTIES CXX_VISIBILITY_PRESET default)
foreach(target ${ENGINE_TARGETS})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default
    VISIBILITY_INLINES_HIDDEN ON)
endforeach()
# RUSHLIGHT_EXTRA_RPATH is for builds that stay out of site-packages (tools/dev).
# Installed in rushlight/lib, beside the package scipy_openblas32 in site-packages.
set_target_properties(rushlight PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  BUILD_RPATH ${PROJECT_BINARY_DIR}/openblas
  INSTALL_RPATH "$ORIGIN;$ORIGIN/../../scipy_openblas32/lib;${RUSHLIGHT_EXTRA_RPATH}")
