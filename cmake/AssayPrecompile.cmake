# assay_precompile(<target>) and assay_precompile_test(<target>): compile <target> with the standard
# headers, and a test with GoogleTest too, read once for the whole build. Sources still include what
# they use: clang reads them without this, and every header of ours is compiled alone.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompile_default ON)
endif()
option(ASSAY_PRECOMPILE "Precompile the standard headers" ${precompile_default})

set(assay_common_headers
  <algorithm> <array> <chrono> <cstddef> <cstdint> <expected> <filesystem> <functional> <map>
  <memory> <optional> <span> <stop_token> <string> <string_view> <system_error> <thread>
  <utility> <variant> <vector> <fmt/core.h>)

if(ASSAY_PRECOMPILE)
  # ccache has to see which precompiled header a compilation reads.
  target_compile_options(assay_flags INTERFACE -fpch-preprocess)
  target_precompile_headers(assay_dep_fmt PRIVATE ${assay_common_headers})
endif()

function(assay_precompile target)
  if(ASSAY_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM assay_dep_fmt)
  endif()
endfunction()

function(assay_precompile_test target)
  if(NOT ASSAY_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET assay_test_headers)
    file(WRITE "${PROJECT_BINARY_DIR}/test_headers.cpp" "")
    add_library(assay_test_headers OBJECT "${PROJECT_BINARY_DIR}/test_headers.cpp")
    target_link_libraries(assay_test_headers PRIVATE assay_flags GTest::gtest)
    target_precompile_headers(assay_test_headers PRIVATE ${assay_common_headers} <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM assay_test_headers)
endfunction()
