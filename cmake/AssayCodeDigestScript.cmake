# Writes OUTPUT from the names below BASE, and the content, of FILES; see AssayCodeDigest.cmake.
string(REGEX MATCH "^(.*)::([^:]+)$" unused "${FUNCTION}")
set(text "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name "${BASE}" "${file}")
  file(SHA256 "${file}" sum)
  string(APPEND text "${name} ${sum}\n")
endforeach()
string(SHA256 digest "${text}")
file(WRITE "${OUTPUT}.tmp" "#include <string_view>

namespace ${CMAKE_MATCH_1} {
std::string_view ${CMAKE_MATCH_2}();
std::string_view ${CMAKE_MATCH_2}() { return \"${digest}\"; }
}  // namespace ${CMAKE_MATCH_1}
")
file(RENAME "${OUTPUT}.tmp" "${OUTPUT}")
