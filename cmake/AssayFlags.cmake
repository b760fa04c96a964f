# One INTERFACE target carries every compile and link flag; nothing sets flags globally.
find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The same file in another checkout is the same compilation; so is one whose headers, precompiled
  # or not, differ only in their time.
  set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${ASSAY_CCACHE}")
endif()

add_library(assay_flags INTERFACE)
target_compile_options(assay_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor
  -Wno-missing-field-initializers  # designated initialisers leave members at their defaults
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety> $<$<CXX_COMPILER_ID:Clang>:-Werror=thread-safety>)
target_compile_definitions(assay_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # With optimisation g++ 12 takes the other alternatives of variants and the short form of strings for
  # mistakes, in the standard library's own headers.
  target_compile_options(assay_flags INTERFACE
    $<$<CONFIG:Release>:-Wno-maybe-uninitialized> $<$<CONFIG:Release>:-Wno-array-bounds>)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Sources that are compiled together look like headers to g++, whose types would differ elsewhere.
  target_compile_options(assay_flags INTERFACE -Wno-subobject-linkage)
endif()
if(ASSAY_SANITIZE)
  # What is tested is looked at for undefined behaviour, not the tests: they would take longer to compile by half.
  string(REPLACE ",undefined" "" sanitize_tests "${ASSAY_SANITIZE}")
  string(REPLACE "," "$<COMMA>" sanitize_tests "${sanitize_tests}")
  string(REPLACE "," "$<COMMA>" sanitize "${ASSAY_SANITIZE}")
  target_compile_options(assay_flags INTERFACE
    -fsanitize=$<IF:$<BOOL:$<TARGET_PROPERTY:ASSAY_TEST_CODE>>,${sanitize_tests},${sanitize}>
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These two are a third of a compilation. The address sanitizer finds null pointers that are used, and the
    # fuzzers, which clang compiles, look for misaligned ones.
    target_compile_options(assay_flags INTERFACE -fno-sanitize=null,alignment)
  endif()
  target_link_options(assay_flags INTERFACE -fsanitize=${ASSAY_SANITIZE})
  # These programs are large, and there are thirty of them: mold links them in a tenth of the time.
  find_program(ASSAY_MOLD mold)
  if(ASSAY_MOLD)
    target_link_options(assay_flags INTERFACE -fuse-ld=mold)
  endif()
else()
  # The binary must start where nothing is installed: only the C library stays shared.
  target_link_options(assay_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()
# Every module is instrumented: a fuzzer must see which way its input went in all of them.
if(ASSAY_BUILD_FUZZERS)
  target_compile_options(assay_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
