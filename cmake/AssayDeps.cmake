# Third-party libraries, each as one imported target, always the static archive: the binary must
# start where nothing is installed. All come from Debian by name (tools/bootstrap).
find_package(Threads REQUIRED)

function(assay_static_library target archive)
  find_library(${target}_ARCHIVE NAMES ${archive} REQUIRED)
  add_library(assay_dep_${target} INTERFACE)
  target_link_libraries(assay_dep_${target} INTERFACE ${${target}_ARCHIVE} ${ARGN})
  add_library(dep::${target} ALIAS assay_dep_${target})
endfunction()

assay_static_library(crypto libcrypto.a Threads::Threads ${CMAKE_DL_LIBS})
assay_static_library(ssl libssl.a ${crypto_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS})  # needs crypto behind it
assay_static_library(seccomp libseccomp.a)
assay_static_library(sqlite libsqlite3.a Threads::Threads ${CMAKE_DL_LIBS} m)
assay_static_library(zstd libzstd.a)
assay_static_library(zlib libz.a)

# Debian ships no static archive of fmt, so its implementation is compiled here, once.
add_library(assay_dep_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt.cpp")
target_link_libraries(assay_dep_fmt PRIVATE assay_flags)
add_library(dep::fmt ALIAS assay_dep_fmt)

# Header-only: Boost (Asio, Beast), nlohmann-json, CLI11.
find_path(ASSAY_BOOST_INCLUDE boost/beast.hpp REQUIRED)
find_path(ASSAY_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(ASSAY_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
