#include "trace/ncu/line_program.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/ncu/elf_view.hpp"

namespace assay::trace {
namespace {

// DWARF's numbers.
constexpr std::uint8_t kEndSequence = 1;
constexpr std::uint8_t kSetAddress = 2;
constexpr std::uint8_t kCopy = 1;
constexpr std::uint8_t kAdvancePc = 2;
constexpr std::uint8_t kAdvanceLine = 3;
constexpr std::uint8_t kSetFile = 4;
constexpr std::uint8_t kConstAddPc = 8;
constexpr std::uint8_t kFixedAdvancePc = 9;

constexpr std::size_t kMostRows = 10'000'000;  // no kernel has as many instructions

struct LineHeader {
  std::uint8_t instruction_length = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> operands;  // by standard opcode, from 1
  std::vector<std::uint32_t> files;    // into LineProgram::files, from 1
};

/// One unit: a header and the program after it.
class LineUnit {
 public:
  /// `at` is where `bytes` begins in the section.
  LineUnit(std::string_view bytes, std::uint64_t at,
           const std::map<std::uint64_t, LineTarget>& placed, LineProgram& out)
      : reader_(bytes), size_(bytes.size()), at_(at), placed_(placed), out_(out) {}

  void read() {
    const auto version = reader_.number<std::uint16_t>();
    if (version < 2 || version > 4) return;
    const auto header_length = reader_.number<std::uint32_t>();
    const std::size_t program_at = here() + header_length;
    read_header(version);
    if (reader_.past_end() || header_.line_range == 0 || here() > program_at) return;
    (void)reader_.take(program_at - here());
    restart();
    while (reader_.left() > 0 && !reader_.past_end() && out_.rows.size() < kMostRows) step();
  }

 private:
  [[nodiscard]] std::size_t here() const { return size_ - reader_.left(); }

  void read_header(std::uint16_t version) {
    header_.instruction_length = reader_.number<std::uint8_t>();
    if (version >= 4) (void)reader_.take(1);  // operations of one instruction
    (void)reader_.take(1);                    // whether rows are statements from the start
    header_.line_base = static_cast<std::int8_t>(reader_.number<std::uint8_t>());
    header_.line_range = reader_.number<std::uint8_t>();
    header_.opcode_base = reader_.number<std::uint8_t>();
    for (unsigned i = 1; i < header_.opcode_base; ++i) {
      header_.operands.push_back(reader_.number<std::uint8_t>());
    }
    std::vector<std::string_view> folders = {""};
    for (std::string_view name = reader_.text(); !name.empty(); name = reader_.text()) {
      folders.push_back(name);
    }
    for (std::string_view name = reader_.text(); !name.empty(); name = reader_.text()) {
      const std::uint64_t folder = reader_.unsigned_leb128();
      (void)reader_.unsigned_leb128();  // when it was changed
      (void)reader_.unsigned_leb128();  // how large it was
      std::string path(folder < folders.size() ? folders[folder] : "");
      if (!path.empty() && !name.starts_with('/')) path += '/';
      if (name.starts_with('/')) path.clear();
      header_.files.push_back(static_cast<std::uint32_t>(out_.files.size()));
      out_.files.push_back(path.append(name));
    }
  }

  void restart() {
    row_ = {};
    row_.line = 1;
    file_ = 1;
  }

  void add_row(bool ends) {
    LineRow row = row_;
    row.ends = ends;
    if (file_ == 0 || file_ > header_.files.size()) return;
    row.file = header_.files[file_ - 1];
    out_.rows.push_back(row);
  }

  void advance(std::uint64_t instructions) {
    row_.at.offset += instructions * header_.instruction_length;
  }

  void step() {
    const auto opcode = reader_.number<std::uint8_t>();
    if (opcode == 0) return extended();
    if (opcode >= header_.opcode_base) {
      const unsigned special = opcode - header_.opcode_base;
      advance(special / header_.line_range);
      row_.line += static_cast<std::uint64_t>(std::int64_t{header_.line_base} +
                                              std::int64_t{special % header_.line_range});
      return add_row(false);
    }
    switch (opcode) {
      case kCopy:
        return add_row(false);
      case kAdvancePc:
        return advance(reader_.unsigned_leb128());
      case kAdvanceLine:
        row_.line += static_cast<std::uint64_t>(reader_.signed_leb128());
        return;
      case kSetFile:
        file_ = reader_.unsigned_leb128();
        return;
      case kConstAddPc:
        return advance((255U - header_.opcode_base) / header_.line_range);
      case kFixedAdvancePc:
        row_.at.offset += reader_.number<std::uint16_t>();
        return;
      default:
        for (unsigned i = 0; i < header_.operands[opcode - 1]; ++i) {
          (void)reader_.unsigned_leb128();
        }
    }
  }

  void extended() {
    const std::uint64_t length = reader_.unsigned_leb128();
    if (length == 0) return;
    const auto opcode = reader_.number<std::uint8_t>();
    if (opcode == kSetAddress && length == 9) {
      const auto found = placed_.find(at_ + here());
      row_.at = found == placed_.end() ? LineTarget{} : found->second;
      row_.at.offset += reader_.number<std::uint64_t>();
      return;
    }
    (void)reader_.take(length - 1);  // NVIDIA's marks of inlined calls are among these
    if (opcode != kEndSequence) return;
    add_row(true);
    restart();
  }

  ByteReader reader_;
  std::size_t size_;
  std::uint64_t at_;
  const std::map<std::uint64_t, LineTarget>& placed_;
  LineProgram& out_;
  LineHeader header_;
  LineRow row_;
  std::uint64_t file_ = 1;
};

}  // namespace

LineProgram read_line_program(std::string_view debug_line,
                              const std::map<std::uint64_t, LineTarget>& placed) {
  LineProgram out;
  ByteReader reader(debug_line);
  while (reader.left() > 0) {
    const auto length = reader.number<std::uint32_t>();
    const std::uint64_t at = debug_line.size() - reader.left();
    const std::string_view unit = reader.take(length);
    if (reader.past_end()) break;
    LineUnit(unit, at, placed, out).read();
  }
  return out;
}

}  // namespace assay::trace
