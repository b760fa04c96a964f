#include "worker/python_package.hpp"

#include <expected>
#include <filesystem>
#include <system_error>

#include "base/digest.hpp"
#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::worker {

Result<std::filesystem::path> write_python_package(const std::filesystem::path& parent) {
  Hasher hasher;
  for (const EmbeddedFile& file : embedded_python()) hasher.field(file.path).field(file.content);
  std::filesystem::path directory = parent / ("python-" + hasher.finish().hex());
  for (const EmbeddedFile& file : embedded_python()) {
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
