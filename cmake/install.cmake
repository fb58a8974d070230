# Everything lands inside the Python package: rushlight/{_C.so, lib/, include/}; the command
# rushlight-run goes to the scripts folder, or to rushlight/bin outside a wheel build.
set(PACKAGE_DIR rushlight)
install(TARGETS rushlight LIBRARY DESTINATION ${PACKAGE_DIR}/lib)
if(TARGET _C)
  install(TARGETS _C LIBRARY DESTINATION ${PACKAGE_DIR})
endif()
if(TARGET rushlight-run)
  set_target_properties(rushlight-run PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS rushlight-run RUNTIME DESTINATION ${PACKAGE_DIR}/bin)
endif()
