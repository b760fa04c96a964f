#include "simt/ptx_operands.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace assay::simt {
namespace {

using Words = std::vector<std::string>;

std::string_view special_register(std::string_view name) {
  static const std::map<std::string_view, std::string_view> kNames = {
      {"%laneid", "::assay::simt::lane_id()"},
      {"%warpid", "(::assay::simt::linear_thread() / 32)"},
      {"%tid.x", "threadIdx.x"},
      {"%tid.y", "threadIdx.y"},
      {"%tid.z", "threadIdx.z"},
      {"%ntid.x", "blockDim.x"},
      {"%ntid.y", "blockDim.y"},
      {"%ntid.z", "blockDim.z"},
      {"%ctaid.x", "blockIdx.x"},
      {"%ctaid.y", "blockIdx.y"},
      {"%ctaid.z", "blockIdx.z"},
      {"%nctaid.x", "gridDim.x"},
      {"%nctaid.y", "gridDim.y"},
      {"%nctaid.z", "gridDim.z"},
      {"%clock", "static_cast<unsigned>(clock64())"},
      {"%clock64", "clock64()"},
      {"%globaltimer", "clock64()"},
      {"%lanemask_eq", "assay_ptx::lanemask_eq()"},
      {"%lanemask_lt", "assay_ptx::lanemask_lt()"},
      {"%lanemask_le", "(assay_ptx::lanemask_lt() | assay_ptx::lanemask_eq())"},
      {"%lanemask_gt", "~(assay_ptx::lanemask_lt() | assay_ptx::lanemask_eq())"},
      {"%lanemask_ge", "~assay_ptx::lanemask_lt()"},
      {"%smid", "0U"},
      {"%nsmid", "1U"},
      {"WARP_SZ", "32"},
  };
  const auto found = kNames.find(name);
  return found == kNames.end() ? std::string_view{} : found->second;
}

/// A name of the asm's own, as C++ may spell it.
std::string variable(std::string_view name) {
  std::string result = "assay_r_";
  for (const char c : name) {
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return result;
}

}  // namespace

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (two != "//" && two != "/*") {
      result += text[i];
      continue;
    }
    const std::size_t end = text.find(two == "//" ? "\n" : "*/", i + 2);
    if (end == std::string_view::npos) break;
    i = two == "//" ? end : end + 1;
    result += ' ';
  }
  return result;
}

Words split_ptx(std::string_view text, char separator) {
  Words parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == separator && depth == 0) {
      parts.emplace_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty() || !parts.empty()) parts.emplace_back(trimmed(part));
  return parts;
}

bool is_ptx_type(std::string_view word) {
  return is_one_of(word, {"b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32",
                          "s64", "f16", "f32", "f64", "bf16", "f16x2", "bf16x2", "pred"});
}

PtxOperands::Text PtxOperands::declare(std::string_view rest) {
  const std::string_view type_and_names = trimmed(rest);
  const std::size_t end = type_and_names.find_first_of(" \t\n");
  if (end == std::string_view::npos || type_and_names[0] != '.') return std::nullopt;
  const std::string_view type = type_and_names.substr(1, end - 1);
  if (!is_ptx_type(type)) return std::nullopt;
  // f16x2 and the like are kept as bits.
  const std::string held = is_one_of(type, {"f16", "bf16"})       ? "b16"
                           : is_one_of(type, {"f16x2", "bf16x2"}) ? "b32"
                                                                  : std::string(type);
  std::string code;
  for (const std::string& name : split_ptx(type_and_names.substr(end), ',')) {
    if (name.empty() || name.find('<') != std::string::npos) return std::nullopt;
    names_.insert(name);
    code += fmt::format("assay_ptx::{} {}{{}}; ", held, variable(name));
  }
  return code;
}

PtxOperands::Text PtxOperands::value(std::string_view text) const {
  if (text.empty()) return std::nullopt;
  if (names_.contains(std::string(text))) return variable(text);
  if (const std::string_view name = special_register(text); !name.empty()) {
    return std::string(name);
  }
  const bool digit =
      std::isdigit(static_cast<unsigned char>(text[text.size() > 1 && text[0] == '-'])) != 0;
  if (text[0] == '%' && text.size() > 1) {
    const bool number = std::ranges::all_of(
        text.substr(1), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    return number ? Text(fmt::format("assay_p{}", text.substr(1))) : std::nullopt;
  }
  if (!digit) return std::nullopt;
  const bool is_word = std::ranges::all_of(text.substr(1), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
  });
  if (!is_word) return std::nullopt;
  if (text.starts_with("0f") || text.starts_with("0F")) {
    return fmt::format("0x{}U", text.substr(2));
  }
  if (text.starts_with("0d") || text.starts_with("0D")) {
    return fmt::format("0x{}ULL", text.substr(2));
  }
  return std::string(text);
}

PtxOperands::Text PtxOperands::values(const Words& operands, std::size_t first,
                                      std::string before) const {
  for (std::size_t i = first; i < operands.size(); ++i) {
    std::string_view operand = operands[i];
    const bool group = operand.starts_with('{') && operand.ends_with('}');
    if (group) operand = operand.substr(1, operand.size() - 2);
    for (const std::string& one : group ? split_ptx(operand, ',') : Words{operands[i]}) {
      const Text text = value(one);
      if (!text) return std::nullopt;
      before += (before.empty() ? "" : ", ") + *text;
    }
  }
  return before;
}

PtxOperands::Text PtxOperands::address(std::string_view operand, bool shared) const {
  if (!operand.starts_with('[') || !operand.ends_with(']')) return std::nullopt;
  const std::string_view inside = trimmed(operand.substr(1, operand.size() - 2));
  const std::size_t plus = inside.find('+');
  const Text base = value(trimmed(inside.substr(0, plus)));
  const Text offset =
      plus == std::string_view::npos ? Text("0") : value(trimmed(inside.substr(plus + 1)));
  if (!base || !offset) return std::nullopt;
  return fmt::format("assay_ptx::{}({}, {})", shared ? "shared" : "global", *base, *offset);
}

}  // namespace assay::simt
