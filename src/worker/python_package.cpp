#include "worker/python_package.hpp"

#include <expected>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/digest.hpp"
#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::worker {

Result<std::filesystem::path> write_python_package(const std::filesystem::path& parent) {
  std::vector<EmbeddedFile> files(embedded_python().begin(), embedded_python().end());
  for (const EmbeddedFile& file : embedded_gate_library()) {
    files.push_back({"assay_runner/libassay_gate.so", file.content});
  }
  Hasher hasher;
  for (const EmbeddedFile& file : files) hasher.field(file.path).field(file.content);
  std::filesystem::path directory = parent / ("python-" + hasher.finish().hex());
  for (const EmbeddedFile& file : files) {
    const std::filesystem::path path = directory / file.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      return fail(ErrorCode::internal,
                  "create " + path.parent_path().string() + ": " + error.message());
    }
    if (auto written = write_file_atomically(path, file.content); !written) {
      return std::unexpected(written.error());
    }
  }
  return directory;
}

}  // namespace assay::worker
