# One program with all C++ tests.
enable_testing()
file(GLOB TEST_SOURCES CONFIGURE_DEPENDS tests/cpp/*_test.cpp tests/cpp/main.cpp)
if(TEST_SOURCES)
  add_executable(rushlight_tests ${TEST_SOURCES})
  target_include_directories(rushlight_tests PRIVATE csrc ${GENERATED_DIR} tests/cpp)
  target_link_libraries(rushlight_tests PRIVATE rushlight_flags rushlight)
  target_compile_definitions(rushlight_tests PRIVATE
    RUSHLIGHT_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  add_test(NAME rushlight_tests COMMAND rushlight_tests)
endif()
