# rushlight-run: the command line without Python.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS csrc/cli/*.cpp)
if(CLI_SOURCES)
  add_executable(rushlight-run ${CLI_SOURCES})
  target_include_directories(rushlight-run PRIVATE csrc)
  target_link_libraries(rushlight-run PRIVATE rushlight_flags rushlight)
endif()
