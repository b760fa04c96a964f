#include "compile/extension_container.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/compiler_end.hpp"

namespace assay::compile {
namespace {

constexpr std::string_view kMagic = "ASSAYEXT";
constexpr std::size_t kKeySize = 64;
constexpr std::size_t kRoleSize = 8;

template <class Number>
void append(std::string& bytes, Number value) {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), &value, sizeof(value));  // little endian, as the machines we run on
  bytes.append(raw.data(), raw.size());
}

}  // namespace

Result<void> write_container(const std::filesystem::path& path,
                             const std::vector<ExtensionFile>& files) {
  std::string head(kMagic);
  append(head, static_cast<std::uint32_t>(files.size()));
  std::string content;
  const std::size_t start =
      head.size() + files.size() * (kKeySize + kRoleSize + 2 * sizeof(std::uint64_t));
  for (const ExtensionFile& file : files) {
    if (file.key.size() != kKeySize || file.role.size() > kRoleSize) {
      return fail(ErrorCode::invalid_argument, "an extension's key has 64 characters, its role 8");
    }
    // Compilers are jailed and left it: a link would lead out of what they may read.
    if (!is_plain_file(file.path)) {
      return fail(ErrorCode::internal, file.path.filename().string() + " is no file");
    }
    ASSAY_TRY(const std::string bytes, read_file(file.path));
    head += file.key;
    head += file.role + std::string(kRoleSize - file.role.size(), '\0');
    append(head, std::uint64_t{start + content.size()});
    append(head, std::uint64_t{bytes.size()});
    content += bytes;
  }
  return write_file_atomically(path, head + content);
}

}  // namespace assay::compile
