# assay_module(<name> [HEADERS ...] [SOURCES ...] [TESTS ...] [FUZZERS ...] [DEPS ...]
#              [PRIVATE_DEPS ...] [TEST_DEPS ...] [PRECOMPILE ...] [ALONE ...])
#
# Declares src/<name> as a static library assay::<name>, its tests as one executable, and each
# fuzzer (a file <what>_fuzz.cpp) as one executable that runs its seeds plus a short search.
# PRECOMPILE names heavy headers that most of the module's sources include.
# Where a preset says so, several sources are compiled together: that takes a third of the time. So names
# in unnamed namespaces are a module's, not a file's; ALONE names the files whose names stand elsewhere too.
# Files are listed, never globbed: a diff of CMakeLists.txt shows a file's arrival.
function(assay_module name)
  cmake_parse_arguments(PARSE_ARGV 1 M "" "" "HEADERS;SOURCES;TESTS;FUZZERS;DEPS;PRIVATE_DEPS;TEST_DEPS;PRECOMPILE;ALONE")
  set(target assay_${name})
  set_source_files_properties(${M_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(M_SOURCES)
    add_library(${target} STATIC ${M_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE assay_flags)
    assay_precompile(${target} ${M_PRECOMPILE})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(assay::${name} ALIAS ${target})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${M_HEADERS})
  target_link_libraries(${target} ${scope} ${M_DEPS})
  if(M_PRIVATE_DEPS)
    target_link_libraries(${target} PRIVATE ${M_PRIVATE_DEPS})
  endif()
  # Builds each header alone, so a header that leans on its includer fails here.
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

  if(M_TESTS AND ASSAY_BUILD_TESTS)
    add_executable(${target}_test ${M_TESTS})
    target_link_libraries(${target}_test PRIVATE ${target} ${M_TEST_DEPS} assay_flags GTest::gtest_main)
    assay_test_code(${target}_test)
    add_test(NAME unit.${name} COMMAND ${target}_test)
    set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 240)
  endif()

  if(ASSAY_BUILD_FUZZERS)
    foreach(source IN LISTS M_FUZZERS)
      get_filename_component(fuzzer ${source} NAME_WE)
      add_executable(${fuzzer} ${source})
      target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      target_link_libraries(${fuzzer} PRIVATE ${target} assay_flags)
      if(NOT TARGET fuzzers)
        add_custom_target(fuzzers)
      endif()
      add_dependencies(fuzzers ${fuzzer})
      add_test(NAME fuzz.${fuzzer} COMMAND ${fuzzer} -max_total_time=5 -rss_limit_mb=1024 -print_final_stats=1)
      set_tests_properties(fuzz.${fuzzer} PROPERTIES LABELS fuzz TIMEOUT 120)
    endforeach()
  endif()
endfunction()
