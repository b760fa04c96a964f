# Writes OUTPUT from BASE/FILES; see AssayEmbed.cmake. The bytes go through hexadecimal because CMake
# lists would swallow the semicolons and brackets of a C++ source.
string(REGEX MATCH "^(.*)::([^:]+)$" unused "${FUNCTION}")
set(namespace "${CMAKE_MATCH_1}")
set(function "${CMAKE_MATCH_2}")
set(arrays "")
set(entries "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${BASE}/${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char ${function}_${index}[] = {${bytes}'\\0'};\n")
  string(APPEND entries "    {\"${file}\", {${function}_${index}, sizeof ${function}_${index} - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}.tmp" "#include <span>

#include \"base/embedded_file.hpp\"

namespace ${namespace} {
std::span<const assay::EmbeddedFile> ${function}();
namespace {
${arrays}
constexpr assay::EmbeddedFile ${function}_list[] = {
${entries}};
}  // namespace
std::span<const assay::EmbeddedFile> ${function}() { return ${function}_list; }
}  // namespace ${namespace}
")
file(RENAME "${OUTPUT}.tmp" "${OUTPUT}")
