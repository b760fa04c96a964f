# assay_precompile(<target> [<header>...]) and assay_test_code(<target>): compile <target> with the
# standard headers, those named, and in a test GoogleTest, read once. Sources still include what they
# use: clang reads them without this, and every header of ours is compiled alone.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompile_default ON)
endif()
option(ASSAY_PRECOMPILE "Precompile the standard headers" ${precompile_default})

set(assay_common_headers
  <algorithm> <array> <chrono> <cstddef> <cstdint> <expected> <filesystem> <functional> <map>
  <memory> <optional> <span> <stop_token> <string> <string_view> <system_error> <thread>
  <utility> <variant> <vector> <fmt/core.h>)

# A precompiled header differs from one compilation to the next, in addresses alone. ccache hashes this
# sum of what went into it in its place, so that builds which made it apart still share what it made.
function(assay_precompile_own target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  list(TRANSFORM ARGN PREPEND "#include ")
  list(JOIN ARGN "\n" text)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir")
  file(WRITE "${folder}/headers.hpp" "${text}\n")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -std=c++${CMAKE_CXX_STANDARD} -E -P -x c++ "${folder}/headers.hpp"
                  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 sum "${text}")
  file(WRITE "${folder}/cmake_pch.hxx.gch.sum" "${sum}\n")
endfunction()

if(ASSAY_PRECOMPILE)
  # ccache has to see which precompiled header a compilation reads.
  target_compile_options(assay_flags INTERFACE -fpch-preprocess)
  assay_precompile_own(assay_dep_fmt ${assay_common_headers})
endif()

function(assay_precompile target)
  if(ASSAY_PRECOMPILE AND ARGN)
    assay_precompile_own(${target} ${assay_common_headers} ${ARGN})
  elseif(ASSAY_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM assay_dep_fmt)
  endif()
endfunction()

function(assay_test_code target)
  set_target_properties(${target} PROPERTIES ASSAY_TEST_CODE ON)  # see AssayFlags.cmake
  if(NOT ASSAY_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET assay_test_headers)
    file(WRITE "${PROJECT_BINARY_DIR}/test_headers.cpp" "")
    add_library(assay_test_headers OBJECT "${PROJECT_BINARY_DIR}/test_headers.cpp")
    target_link_libraries(assay_test_headers PRIVATE assay_flags GTest::gtest)
    set_target_properties(assay_test_headers PROPERTIES ASSAY_TEST_CODE ON)
    assay_precompile_own(assay_test_headers ${assay_common_headers} <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM assay_test_headers)
endfunction()
