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

namespace assay::compile {
namespace {

constexpr std::string_view kMagic = "ASSAYEXT";
constexpr std::size_t kKeySize = 64;

template <class Number>
void append(std::string& bytes, Number value) {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), &value, sizeof(value));  // little endian, as the machines we run on
  bytes.append(raw.data(), raw.size());
}

}  // namespace

Result<void> write_container(const std::filesystem::path& path,
                             const std::vector<ContainedExtension>& extensions) {
  std::string head(kMagic);
  append(head, static_cast<std::uint32_t>(extensions.size()));
  std::string content;
  const std::size_t start =
      head.size() + extensions.size() * (kKeySize + 2 * sizeof(std::uint64_t));
  for (const ContainedExtension& extension : extensions) {
    if (extension.key.size() != kKeySize) {
      return fail(ErrorCode::invalid_argument, "the key of an extension has 64 characters");
    }
    ASSAY_TRY(const std::string bytes, read_file(extension.library));
    head += extension.key;
    append(head, std::uint64_t{start + content.size()});
    append(head, std::uint64_t{bytes.size()});
    content += bytes;
  }
  return write_file_atomically(path, head + content);
}

}  // namespace assay::compile
