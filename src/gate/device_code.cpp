#include "gate/device_code.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/embedded_file.hpp"

namespace assay::gate {
namespace {

std::string_view file_named(std::string_view name) {
  for (const EmbeddedFile& file : device_code_files()) {
    if (file.path == name) return file.content;
  }
  return {};
}

/// With each file that it includes in its place, once.
void append(std::string& source, const std::string& name, std::set<std::string>& included) {
  constexpr std::string_view kInclude = "#include \"";
  if (!included.insert(name).second) return;
  std::string_view rest = file_named(name);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.starts_with(kInclude)) {
      append(source, std::string(line.substr(kInclude.size(), line.rfind('"') - kInclude.size())),
             included);
    } else if (line != "#pragma once") {
      source.append(line).append("\n");
    }
  }
}

}  // namespace

std::string source_of(const DeviceModule& module) {
  std::string source;
  std::set<std::string> included;
  append(source, module.source, included);
  return source;
}

}  // namespace assay::gate
