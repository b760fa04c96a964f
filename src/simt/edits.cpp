#include "simt/edits.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace assay::simt {

void Edits::replace(std::size_t offset, std::size_t length, std::string text) {
  edits_.push_back({offset, length, std::move(text)});
}

std::string Edits::apply(std::string_view source) const {
  auto sorted = edits_;
  // At one place insertions come first, in the order they were made.
  std::ranges::stable_sort(sorted, [](const Edit& a, const Edit& b) {
    return std::pair(a.offset, a.length > 0) < std::pair(b.offset, b.length > 0);
  });
  std::string result;
  result.reserve(source.size() + 64 * sorted.size());
  std::size_t done = 0;
  for (const Edit& edit : sorted) {
    if (edit.offset < done) continue;  // inside something already replaced
    result.append(source.substr(done, edit.offset - done));
    result += edit.text;
    done = edit.offset + edit.length;
    const auto removed = source.substr(edit.offset, edit.length);
    result.append(static_cast<std::size_t>(std::ranges::count(removed, '\n')), '\n');
  }
  result.append(source.substr(done));
  return result;
}

}  // namespace assay::simt
