# The op table: ops/*.yaml -> C++, by tools/generate_ops.py.
set(GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
file(GLOB OP_TABLES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ops/*.yaml)
file(GLOB OP_GENERATOR CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/opgen/*.py
  ${PROJECT_SOURCE_DIR}/tools/generate_ops.py ${PROJECT_SOURCE_DIR}/tools/opgen/torch_names.json)

set(GENERATED_TABLES ${GENERATED_DIR}/register_all.cpp)
set(GENERATED_KERNELS ${GENERATED_DIR}/kernels_calls.cpp ${GENERATED_DIR}/kernels_pointwise.cpp)
foreach(table ${OP_TABLES})
  get_filename_component(stem ${table} NAME_WE)
  list(APPEND GENERATED_TABLES ${GENERATED_DIR}/ops_${stem}.cpp)
endforeach()

# The generator leaves unchanged files alone, so its own stamp stands for "is up to date".
add_custom_command(
  OUTPUT ${GENERATED_DIR}/stamp
  BYPRODUCTS ${GENERATED_TABLES} ${GENERATED_KERNELS} ${GENERATED_DIR}/ir/shape/generated.h
    ${GENERATED_DIR}/faces.cpp
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/generate_ops.py
    ${PROJECT_SOURCE_DIR}/ops ${GENERATED_DIR}
  COMMAND ${CMAKE_COMMAND} -E touch ${GENERATED_DIR}/stamp
  DEPENDS ${OP_TABLES} ${OP_GENERATOR}
  COMMENT "Generating the op table" VERBATIM)
add_custom_target(rushlight_ops DEPENDS ${GENERATED_DIR}/stamp)
