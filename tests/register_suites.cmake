# Read by CTest for each test program: registers one test for each suite of it, PROGRAM.Suite.
# What failed inside is in the output, and PROGRAM --gtest_filter=Suite.Test runs it alone.
# Set by whoever includes this: program, labels, properties (RapidCheck's).
get_filename_component(name "${program}" NAME)
if(NOT EXISTS "${program}")
  add_test("${name}_NOT_BUILT" "${program}")
  set_tests_properties("${name}_NOT_BUILT" PROPERTIES LABELS "${labels}")
  return()
endif()
get_filename_component(folder "${program}" DIRECTORY)
execute_process(COMMAND "${program}" --gtest_list_tests
  WORKING_DIRECTORY "${folder}" TIMEOUT 60 # sanitizers start slowly
  OUTPUT_VARIABLE listed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} --gtest_list_tests: ${status}")
endif()
# Suites are the lines that are not indented; a comment may follow.
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${listed}")
if(NOT suites)
  message(FATAL_ERROR "${program} lists no tests")
endif()
foreach(suite ${suites})
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  add_test("${name}.${suite}" "${program}" "--gtest_filter=${suite}.*")
  set_tests_properties("${name}.${suite}" PROPERTIES
    LABELS "${labels}" ENVIRONMENT "RC_PARAMS=${properties}" WORKING_DIRECTORY "${folder}")
endforeach()
