#include "line_program.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace assay::simt {
namespace {

/// Reads little-endian numbers; past the end it gives zeros and says so.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool done() const { return at_ >= bytes_.size(); }
  [[nodiscard]] std::size_t at() const { return at_; }
  void seek(std::size_t to) { at_ = std::min(to, bytes_.size()); }
  void skip(std::size_t count) { seek(at_ + count); }

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes && at_ < bytes_.size(); ++i) {
      value |= std::uint64_t{bytes_[at_++]} << (8 * i);
    }
    return value;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !done(); shift += 7) {
      const std::uint8_t b = byte();
      if (shift < 64) value |= std::uint64_t{b & 0x7fU} << shift;
      if ((b & 0x80U) == 0) break;
    }
    return value;
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t b = 0;
    do {
      b = byte();
      if (shift < 64) value |= std::uint64_t{b & 0x7fU} << shift;
      shift += 7;
    } while ((b & 0x80U) != 0 && !done());
    if (shift < 64 && (b & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  std::string_view text() {
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    const std::size_t length = strnlen(begin, bytes_.size() - at_);
    skip(length + 1);
    return {begin, length};
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

std::string_view without_directory(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// One line number program; the names of its fields are the standard's.
class Program {
 public:
  Program(Cursor& in, std::string_view file, std::vector<LineRow>& rows)
      : in_(in), wanted_(file), rows_(rows) {}

  void run() {
    const std::uint64_t length = in_.number(4);
    const std::size_t end = in_.at() + length;
    const std::uint64_t version = in_.number(2);
    if (length == 0xffffffffU || version < 2 || version > 4) return in_.seek(end);
    read_header(version);
    reset();
    while (in_.at() < end && !in_.done()) step();
    in_.seek(end);
  }

 private:
  void read_header(std::uint64_t version) {
    const std::uint64_t header_length = in_.number(4);
    const std::size_t program = in_.at() + header_length;
    minimum_length_ = in_.byte();
    if (version >= 4) in_.byte();  // operations per instruction, for VLIW machines
    in_.byte();                    // default of is_stmt, which we do not need
    line_base_ = static_cast<std::int8_t>(in_.byte());
    line_range_ = std::max<std::uint8_t>(in_.byte(), 1);
    opcode_base_ = in_.byte();
    operands_.assign(opcode_base_, 0);
    for (unsigned i = 1; i < opcode_base_; ++i) operands_[i] = in_.byte();
    while (!in_.text().empty()) {  // directories
    }
    files_ = {false};  // counted from 1
    for (;;) {
      const std::string_view name = in_.text();
      if (name.empty()) break;
      in_.uleb();
      in_.uleb();
      in_.uleb();
      files_.push_back(without_directory(name) == wanted_);
    }
    in_.seek(program);
  }

  void reset() {
    address_ = 0;
    file_ = 1;
    line_ = 1;
  }

  void emit(bool ends) {
    const bool in_file = file_ < files_.size() && files_[file_];
    rows_.push_back({address_, line_, in_file, ends});
  }

  void advance(std::uint64_t operation) { address_ += operation * minimum_length_; }

  void step() {
    const std::uint8_t opcode = in_.byte();
    if (opcode >= opcode_base_) {
      const unsigned adjusted = opcode - opcode_base_;
      advance(adjusted / line_range_);
      line_ += static_cast<std::uint32_t>(line_base_ + static_cast<int>(adjusted % line_range_));
      return emit(false);
    }
    if (opcode == 0) return extended();
    standard(opcode);
  }

  void standard(std::uint8_t opcode) {
    switch (opcode) {
      case 1:  // copy
        return emit(false);
      case 2:  // advance_pc
        return advance(in_.uleb());
      case 3:  // advance_line
        line_ += static_cast<std::uint32_t>(in_.sleb());
        return;
      case 4:  // set_file
        file_ = in_.uleb();
        return;
      case 8:  // const_add_pc
        return advance((255U - opcode_base_) / line_range_);
      case 9:  // fixed_advance_pc
        address_ += in_.number(2);
        return;
      default:
        for (unsigned i = 0; i < operands_[opcode]; ++i) in_.uleb();
    }
  }

  void extended() {
    const std::uint64_t length = in_.uleb();
    const std::size_t end = in_.at() + length;
    const std::uint8_t opcode = in_.byte();
    if (opcode == 1) {  // end_sequence
      emit(true);
      reset();
    } else if (opcode == 2) {  // set_address
      address_ = in_.number(8);
    }
    in_.seek(end);
  }

  Cursor& in_;
  std::string_view wanted_;
  std::vector<LineRow>& rows_;
  std::uint8_t minimum_length_ = 1;
  int line_base_ = 0;
  std::uint8_t line_range_ = 1;
  std::uint8_t opcode_base_ = 1;
  std::vector<std::uint8_t> operands_;
  std::vector<bool> files_;
  std::uint64_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<LineRow> read_lines(std::span<const std::uint8_t> section, std::string_view file) {
  std::vector<LineRow> rows;
  Cursor in(section);
  while (!in.done()) Program(in, without_directory(file), rows).run();
  // An end row sorts before a row that begins at the same address.
  std::ranges::stable_sort(rows, [](const LineRow& a, const LineRow& b) {
    return a.address != b.address ? a.address < b.address : a.ends && !b.ends;
  });
  return rows;
}

}  // namespace assay::simt
