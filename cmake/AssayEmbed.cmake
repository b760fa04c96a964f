# assay_embed(<target> FUNCTION <namespace>::<function> BASE <dir> FILES <file>...)
#
# Compiles files into <target>: the generated source defines
#   std::span<const assay::EmbeddedFile> <namespace>::<function>()
# with each file under its path relative to BASE. The target declares the function in a header of
# its own and links assay::base, which has base/embedded_file.hpp.
set(ASSAY_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/AssayEmbedScript.cmake")

function(assay_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 E "" "FUNCTION;BASE" "FILES")
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" stem "${E_FUNCTION}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${stem}_embedded.cpp")
  get_filename_component(base "${E_BASE}" ABSOLUTE)
  set(inputs "")
  foreach(file IN LISTS E_FILES)
    list(APPEND inputs "${base}/${file}")
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -D "OUTPUT=${output}" -D "FUNCTION=${E_FUNCTION}" -D "BASE=${base}"
            -D "FILES=${E_FILES}" -P "${ASSAY_EMBED_SCRIPT}"
    DEPENDS ${inputs} "${ASSAY_EMBED_SCRIPT}"
    COMMENT "Embed ${E_FUNCTION}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  set_property(TARGET ${target} APPEND PROPERTY ASSAY_EMBEDDED ${inputs})
endfunction()
