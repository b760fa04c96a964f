#include "process/processor_pressure.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/os.hpp"

namespace assay::process {

std::optional<std::chrono::nanoseconds> processor_pressure(const std::filesystem::path& proc) {
  constexpr std::string_view kSome = "some ";
  constexpr std::string_view kTotal = "total=";
  const auto text = read_file(proc / "pressure" / "cpu");
  if (!text || !text->starts_with(kSome)) return std::nullopt;
  const std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
  const std::size_t at = line.find(kTotal);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view number = line.substr(at + kTotal.size());
  std::int64_t microseconds = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), microseconds);
  if (read.ec != std::errc()) return std::nullopt;
  return std::chrono::microseconds(microseconds);
}

}  // namespace assay::process
