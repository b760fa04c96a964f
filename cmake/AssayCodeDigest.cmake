# assay_code_digest(<target> FUNCTION <namespace>::<function> MODULES <name>...)
#
# Compiles into <target> a function std::string_view <namespace>::<function>(): a digest of every
# source, header and embedded file of these modules. What they make may be kept for as long as it is
# the same, whatever becomes of the rest of the program. <target> declares the function in a header of
# its own.
set(ASSAY_CODE_DIGEST_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/AssayCodeDigestScript.cmake")

function(assay_code_digest target)
  cmake_parse_arguments(PARSE_ARGV 1 D "" "FUNCTION" "MODULES")
  set(files "")
  foreach(module IN LISTS D_MODULES)
    get_target_property(folder assay_${module} SOURCE_DIR)
    foreach(property SOURCES HEADER_SET ASSAY_EMBEDDED)
      get_target_property(found assay_${module} ${property})
      if(found)
        list(TRANSFORM found PREPEND "${folder}/" REGEX "^[^/]")
        list(APPEND files ${found})
      endif()
    endforeach()
  endforeach()
  list(FILTER files EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")  # made of embedded files
  list(REMOVE_DUPLICATES files)
  list(SORT files)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" stem "${D_FUNCTION}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -D "OUTPUT=${output}" -D "FUNCTION=${D_FUNCTION}"
            -D "BASE=${PROJECT_SOURCE_DIR}" -D "FILES=${files}" -P "${ASSAY_CODE_DIGEST_SCRIPT}"
    DEPENDS ${files} "${ASSAY_CODE_DIGEST_SCRIPT}"
    COMMENT "Digest ${D_FUNCTION}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
