# Everything lands inside the Python package: rushlight/{_C.so, lib/, include/, bin/}; the command
# rushlight-run goes to the scripts folder too when a wheel is built.
include(CMakePackageConfigHelpers)
set(PACKAGE_DIR rushlight)

install(TARGETS rushlight EXPORT rushlightTargets LIBRARY DESTINATION ${PACKAGE_DIR}/lib)
if(TARGET _C)
  install(TARGETS _C LIBRARY DESTINATION ${PACKAGE_DIR})
endif()

if(TARGET rushlight-run)
  if(SKBUILD_SCRIPTS_DIR)
    # A wheel's scripts go to <prefix>/bin, its package to <prefix>/lib/pythonX.Y/site-packages.
    # (dist-packages for Debian's own Python, lib64 for Fedora's).
    set(PYTHON python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})
    set(WHEEL_RPATH)
    foreach(site lib/${PYTHON}/site-packages lib/${PYTHON}/dist-packages
        lib64/${PYTHON}/site-packages)
      list(APPEND WHEEL_RPATH "$ORIGIN/../${site}/rushlight/lib")
    endforeach()
    set_target_properties(rushlight-run PROPERTIES INSTALL_RPATH "${WHEEL_RPATH}")
    install(TARGETS rushlight-run RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR})
  else()
    set_target_properties(rushlight-run PROPERTIES
      INSTALL_RPATH "$ORIGIN/../lib;${RUSHLIGHT_EXTRA_RPATH}")
    install(TARGETS rushlight-run RUNTIME DESTINATION ${PACKAGE_DIR}/bin)
  endif()
endif()

# The public headers, and what find_package(rushlight) needs.
install(FILES csrc/rushlight.h csrc/model.h csrc/library.h DESTINATION ${PACKAGE_DIR}/include/rushlight)
install(FILES
  csrc/core/argument.h csrc/core/dims.h csrc/core/dtype.h csrc/core/error.h csrc/core/half.h csrc/core/scalar.h
  csrc/core/storage.h csrc/core/tensor.h
  DESTINATION ${PACKAGE_DIR}/include/rushlight/core)
target_include_directories(rushlight INTERFACE $<INSTALL_INTERFACE:${PACKAGE_DIR}/include>)
target_compile_features(rushlight INTERFACE cxx_std_20)
set(CONFIG_DIR ${PACKAGE_DIR}/lib/cmake/rushlight)
install(EXPORT rushlightTargets NAMESPACE rushlight:: FILE rushlightTargets.cmake
  DESTINATION ${CONFIG_DIR})
configure_package_config_file(cmake/rushlightConfig.cmake.in
  ${PROJECT_BINARY_DIR}/rushlightConfig.cmake INSTALL_DESTINATION ${CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rushlightConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rushlightConfig.cmake
  ${PROJECT_BINARY_DIR}/rushlightConfigVersion.cmake DESTINATION ${CONFIG_DIR})
