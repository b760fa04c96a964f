#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay::trace {

/// Each distinct text once, named by a small number. Moving a pool keeps its views valid.
class StringPool {
 public:
  StringPool() { intern(""); }
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;
  StringPool(StringPool&&) = default;             // NOLINT: a deque may throw when moved
  StringPool& operator=(StringPool&&) = default;  // NOLINT
  ~StringPool() = default;

  /// 0 is always the empty text.
  std::uint32_t intern(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(views_.size());
    views_.push_back(texts_.emplace_back(text));
    ids_.emplace(views_.back(), id);
    return id;
  }

  [[nodiscard]] std::string_view view(std::uint32_t id) const { return views_[id]; }
  [[nodiscard]] std::size_t size() const { return views_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque: growing moves no string, so views stay valid
  std::vector<std::string_view> views_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace assay::trace
