#include "gate/device_code.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/embedded_file.hpp"

namespace assay::gate {
namespace {

constexpr std::string_view kPragma = "#pragma once";

std::string_view file_named(std::string_view name) {
  for (const EmbeddedFile& file : device_code_files()) {
    if (file.path == name) return file.content;
  }
  return {};
}

}  // namespace

std::string device_code_source() {
  std::string source(file_named("scene.cu"));
  const std::string_view include = "#include \"scene.hpp\"";
  std::string header(file_named("scene.hpp"));
  if (const auto at = header.find(kPragma); at != std::string::npos)
    header.erase(at, kPragma.size());
  if (const auto at = source.find(include); at != std::string::npos) {
    source.replace(at, include.size(), header);
  }
  return source;
}

}  // namespace assay::gate
