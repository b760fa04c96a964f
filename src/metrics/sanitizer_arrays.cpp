#include "metrics/sanitizer_arrays.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "model/finding.hpp"

namespace assay::metrics {
namespace {

constexpr std::string_view kArrayMark = "assay-array 0x";

struct Array {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t element = 1;
  std::string name;
};

/// Takes a number and the blank behind it from the front.
std::optional<std::uint64_t> take(std::string_view& text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(' ')) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

std::optional<Array> read_array(std::string_view line) {
  if (!line.starts_with(kArrayMark)) return std::nullopt;
  line.remove_prefix(kArrayMark.size());
  const auto address = take(line, 16);
  const auto size = address ? take(line, 10) : std::nullopt;
  const auto element = size ? take(line, 10) : std::nullopt;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48U;  // no GPU has addresses beyond
  if (!element || *element == 0 || *address > kMost || *size > kMost) return std::nullopt;
  constexpr std::size_t kLongestName = 200;
  return Array{.address = *address,
               .size = *size,
               .element = *element,
               .name = std::string(line.substr(0, kLongestName))};
}

std::vector<Array> read_arrays(std::string_view printed) {
  constexpr std::size_t kMostArrays = 256;
  std::vector<Array> arrays;
  while (!printed.empty() && arrays.size() < kMostArrays) {
    const std::size_t end = printed.find('\n');
    if (auto array = read_array(printed.substr(0, end))) arrays.push_back(*std::move(array));
    printed.remove_prefix(end == std::string_view::npos ? printed.size() : end + 1);
  }
  return arrays;
}

std::uint64_t distance(const Array& array, std::uint64_t address) {
  if (address < array.address) return array.address - address;
  const std::uint64_t end = array.address + array.size;
  return address < end ? 0 : address - end + 1;
}

std::int64_t index_in(const Array& array, std::uint64_t address) {
  const auto element = static_cast<std::int64_t>(array.element);
  const auto offset = static_cast<std::int64_t>(address - array.address);
  return offset >= 0 ? offset / element : -((-offset + element - 1) / element);
}

}  // namespace

void name_arrays(std::string_view printed, std::vector<Finding>& findings) {
  const std::vector<Array> arrays = read_arrays(printed);
  if (arrays.empty()) return;
  constexpr std::uint64_t kFarAway = std::uint64_t{1} << 32U;
  for (Finding& finding : findings) {
    // Shared memory has addresses of its own.
    if (!finding.address || finding.message.find("__global__") == std::string::npos) continue;
    const std::uint64_t address = *finding.address;
    const auto nearest = std::ranges::min_element(
        arrays, {}, [address](const Array& array) { return distance(array, address); });
    if (distance(*nearest, address) > kFarAway) continue;
    finding.array = nearest->name;
    finding.index = index_in(*nearest, address);
  }
}

}  // namespace assay::metrics
