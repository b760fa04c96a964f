#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::simt {

/// Changes to a text, gathered in any order and applied at once. Line breaks of what is replaced
/// are kept, so that every line keeps its number.
class Edits {
 public:
  void insert(std::size_t offset, std::string text) { replace(offset, 0, std::move(text)); }
  void replace(std::size_t offset, std::size_t length, std::string text);
  [[nodiscard]] std::string apply(std::string_view source) const;

 private:
  struct Edit {
    std::size_t offset;
    std::size_t length;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace assay::simt
