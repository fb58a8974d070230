# OpenBLAS and LAPACK from the PyPI package scipy-openblas32.
execute_process(
  COMMAND ${Python_EXECUTABLE} -c
    "import scipy_openblas32 as b; print(b.get_lib_dir(), b.get_include_dir(), sep=';')"
  OUTPUT_VARIABLE OPENBLAS_DIRS OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE OPENBLAS_FAILED)
if(OPENBLAS_FAILED)
  message(FATAL_ERROR "scipy-openblas32 is not installed for ${Python_EXECUTABLE}: "
    "pip install scipy-openblas32")
endif()
list(GET OPENBLAS_DIRS 0 OPENBLAS_LIB_DIR)
list(GET OPENBLAS_DIRS 1 OPENBLAS_INCLUDE_DIR)

# pip builds in a temporary environment whose path is another each time. Headers and library are
# taken from a copy, so that command lines stay the same and nothing is compiled twice.
file(COPY ${OPENBLAS_INCLUDE_DIR}/ DESTINATION ${PROJECT_BINARY_DIR}/openblas/include)
file(COPY ${OPENBLAS_LIB_DIR}/libscipy_openblas.so DESTINATION ${PROJECT_BINARY_DIR}/openblas)

add_library(openblas SHARED IMPORTED)
set_target_properties(openblas PROPERTIES
  IMPORTED_LOCATION ${PROJECT_BINARY_DIR}/openblas/libscipy_openblas.so
  IMPORTED_NO_SONAME OFF)
target_include_directories(openblas SYSTEM INTERFACE
  ${PROJECT_BINARY_DIR}/openblas/include)
target_compile_definitions(openblas INTERFACE BLAS_SYMBOL_PREFIX=scipy_)
