#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::device {

/// How a kernel takes a parameter. The numbers are those of assay_simt_kind.
struct CubinParameter {
  std::uint32_t kind = 0;
  std::uint32_t size = 0;
};

/// A look into the machine code of a GPU module, an ELF file. Whatever the bytes are, nothing is
/// read outside them.
class Cubin {
 public:
  /// `bytes` must outlive this. Fails with `invalid_argument` where they are no cubin.
  [[nodiscard]] static Result<Cubin> open(std::string_view bytes);

  /// The symbols of the kernels in it.
  [[nodiscard]] std::vector<std::string> entries() const;
  /// The content of a variable that has an initial value.
  [[nodiscard]] std::optional<std::string_view> variable(std::string_view name) const;
  /// What compile/nvrtc_include/assay_signature.cuh left; nothing where it did not.
  [[nodiscard]] std::optional<std::vector<CubinParameter>> signature() const;

 private:
  struct Section {
    std::uint32_t type = 0;
    std::uint32_t link = 0;
    std::string_view content;  // empty where the file holds none
  };
  struct SymbolEntry {
    std::string_view name;
    unsigned char info = 0;
    unsigned char other = 0;
    std::size_t section = 0;
    std::uint64_t value = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] std::vector<SymbolEntry> symbols() const;

  std::vector<Section> sections_;
};

}  // namespace assay::device
