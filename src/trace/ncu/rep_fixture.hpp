#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/ncu/report.hpp"

namespace assay::trace::testing {

/// Encodes protocol buffer messages, for tests of what decodes them.
class WireWriter {
 public:
  WireWriter& integer(std::uint32_t field, std::uint64_t value);
  WireWriter& real(std::uint32_t field, double value);
  WireWriter& single(std::uint32_t field, float value);
  WireWriter& bytes(std::uint32_t field, std::string_view value);
  WireWriter& message(std::uint32_t field, const WireWriter& value) {
    return bytes(field, value.text());
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  void varint(std::uint64_t value);
  void fixed(std::uint64_t bits, int size);
  std::string out_;
};

/// Wraps messages as a block of an `.ncu-rep` file.
[[nodiscard]] std::string rep_block(const WireWriter& header,
                                    const std::vector<std::string>& messages);
/// The bytes before the first block.
[[nodiscard]] std::string rep_start();

/// The message of one launch; names of metrics are appended to `names`.
[[nodiscard]] std::string encode_launch(const NcuLaunch& launch,
                                        const std::vector<NcuSection>& sections,
                                        std::vector<std::string>& names);

/// A small valid `.ncu-rep` file that says what `report` says. It has one block for the session,
/// then one per module and one per launch. Names of metrics are numbered through all blocks, as the
/// tool does.
[[nodiscard]] std::string write_ncu_rep(const NcuReport& report);

}  // namespace assay::trace::testing
