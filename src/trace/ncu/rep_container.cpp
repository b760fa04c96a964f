#include "trace/ncu/rep_container.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/ncu/wire.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kMagic{"NVR\0", 4};
constexpr std::uint32_t kPayloadSizeField = 5;  // of a BlockHeader

/// Cuts a file into pieces, each preceded by its length as a little-endian u32.
class Cutter {
 public:
  explicit Cutter(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t position() const { return at_; }

  std::optional<std::string_view> take(std::uint64_t size) {
    if (size > bytes_.size() - at_) return std::nullopt;
    const std::string_view piece = bytes_.substr(at_, size);
    at_ += size;
    return piece;
  }

  std::optional<std::string_view> take_prefixed() {
    const auto prefix = take(4);
    if (!prefix) return std::nullopt;
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      size |= static_cast<std::uint32_t>(static_cast<std::uint8_t>((*prefix)[i])) << (8 * i);
    }
    return take(size);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::unexpected<Error> broken(std::size_t position, std::string_view what) {
  return fail(ErrorCode::data_loss,
              fmt::format("the report is cut short or damaged: {} at byte {} leads outside it",
                          what, position));
}

Result<std::uint64_t> payload_size(std::string_view header, std::size_t position) {
  WireReader reader(header);
  std::uint64_t size = 0;
  while (const auto field = reader.next()) {
    if (field->number == kPayloadSizeField) size = field->integer();
  }
  if (reader.malformed()) {
    return fail(
        ErrorCode::data_loss,
        fmt::format("the report is damaged: the block header at byte {} is not one", position));
  }
  return size;
}

Result<RepBlock> take_block(Cutter& file) {
  const std::size_t start = file.position();
  const auto header = file.take_prefixed();
  if (!header) return broken(start, "a block header");
  ASSAY_TRY(const std::uint64_t size, payload_size(*header, start));
  const std::size_t payload_start = file.position();
  const auto payload = file.take(size);
  if (!payload) return broken(payload_start, "a block");

  RepBlock block{.header = *header};
  Cutter messages(*payload);
  while (!messages.at_end()) {
    const std::size_t at = payload_start + messages.position();
    const auto message = messages.take_prefixed();
    if (!message) return broken(at, "a message");
    block.messages.push_back(*message);
  }
  return block;
}

}  // namespace

bool looks_like_rep(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

Result<std::vector<RepBlock>> split_rep(std::string_view bytes) {
  Cutter file(bytes);
  if (file.take(kMagic.size()) != kMagic) {
    return fail(ErrorCode::invalid_argument, "not an .ncu-rep file: it does not start with NVR");
  }
  if (!file.take_prefixed()) return broken(kMagic.size(), "the file header");
  std::vector<RepBlock> blocks;
  while (!file.at_end()) {
    ASSAY_TRY(RepBlock block, take_block(file));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace assay::trace
