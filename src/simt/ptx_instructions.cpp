#include "simt/ptx_instructions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simt/ptx_operands.hpp"

namespace assay::simt {
namespace {

using Words = std::vector<std::string>;
using Text = std::optional<std::string>;

class Translator {
 public:
  PtxCode run(std::string_view text) {
    const std::string plain = without_comments(text);
    std::string_view rest = plain;
    int depth = 0;
    while (!(rest = trimmed(rest)).empty()) {
      if (rest[0] == '{' || rest[0] == '}') {
        depth += rest[0] == '{' ? 1 : -1;
        if (depth < 0) break;
        code_.statements += rest[0];
        rest.remove_prefix(1);
        continue;
      }
      const std::size_t end = std::min(rest.find(';'), rest.size());
      const std::string_view statement = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (statement.empty()) continue;
      const auto done = translate(statement);
      if (!done) {
        code_.unknown = statement.substr(0, statement.find_first_of(" \t\n"));
        if (code_.unknown.starts_with('@') && !last_opcode_.empty()) code_.unknown = last_opcode_;
        return code_;
      }
      code_.statements += *done;
    }
    if (depth != 0) code_.unknown = "a brace too many";
    return code_;
  }

 private:
  Text translate(std::string_view statement) {
    if (statement.starts_with(".reg")) return names_.declare(statement.substr(4));
    std::string condition;
    if (statement[0] == '@') {
      const std::size_t end = statement.find_first_of(" \t\n");
      if (end == std::string_view::npos) return std::nullopt;
      std::string_view guard = statement.substr(1, end - 1);
      const bool negated = guard.starts_with('!');
      const Text name = names_.value(negated ? guard.substr(1) : guard);
      statement = trimmed(statement.substr(end));
      last_opcode_ = statement.substr(0, statement.find_first_of(" \t\n"));
      if (!name) return std::nullopt;
      condition = fmt::format("if ({}{}) ", negated ? "!" : "", *name);
    }
    const std::size_t end = std::min(statement.find_first_of(" \t\n"), statement.size());
    Words modifiers;
    for (std::string& part : split_ptx(statement.substr(0, end), '.')) {
      modifiers.push_back(std::move(part));
    }
    const std::string base = modifiers.empty() ? "" : modifiers[0];
    if (!modifiers.empty()) modifiers.erase(modifiers.begin());
    const Text code = instruction(base, modifiers, split_ptx(statement.substr(end), ','));
    if (!code) return std::nullopt;
    return condition + "{ " + *code + " }";
  }

  static bool drop(Words& words, std::initializer_list<std::string_view> known) {
    const std::size_t before = words.size();
    std::erase_if(words, [&](const std::string& word) { return is_one_of(word, known); });
    return words.size() != before;
  }

  Text instruction(const std::string& base, Words modifiers, const Words& operands);
  Text computed(const std::string& function, const Words& operands) const;
  Text arithmetic(const std::string& base, Words modifiers, const Words& operands);
  Text comparison(const Words& modifiers, const Words& operands) const;
  Text conversion(Words modifiers, const Words& operands) const;
  Text move(const Words& modifiers, const Words& operands) const;
  Text memory(const std::string& base, Words modifiers, const Words& operands) const;
  Text atomic(const std::string& base, Words modifiers, const Words& operands) const;
  Text async_copy(Words modifiers, const Words& operands) const;
  Text matrix(const std::string& base, Words modifiers, const Words& operands) const;
  Text waiting(const std::string& base, Words modifiers, const Words& operands) const;

  PtxCode code_;
  PtxOperands names_;
  std::string last_opcode_;
};

/// `d = function(the other operands)`.
Text Translator::computed(const std::string& function, const Words& operands) const {
  if (operands.size() < 2) return std::nullopt;
  const Text to = names_.value(operands[0]);
  const Text from = names_.values(operands, 1);
  if (!to || !from) return std::nullopt;
  return fmt::format("assay_ptx::set({}, assay_ptx::{}({}));", *to, function, *from);
}

Text Translator::instruction(const std::string& base, Words modifiers, const Words& operands) {
  if (base == "mov" || base == "cvta") return move(modifiers, operands);
  if (base == "setp") return comparison(modifiers, operands);
  if (base == "cvt") return conversion(std::move(modifiers), operands);
  if (base == "ld" || base == "ldu" || base == "st") {
    return memory(base, std::move(modifiers), operands);
  }
  if (base == "atom" || base == "red") return atomic(base, std::move(modifiers), operands);
  if (base == "cp") return async_copy(std::move(modifiers), operands);
  if (base == "mma" || base == "ldmatrix") return matrix(base, std::move(modifiers), operands);
  if (Text code = waiting(base, modifiers, operands)) return code;
  return arithmetic(base, std::move(modifiers), operands);
}

Text Translator::arithmetic(const std::string& base, Words modifiers, const Words& operands) {
  static const std::map<std::string_view, std::size_t> kSources = {
      {"add", 2},  {"sub", 2},   {"mul", 2},  {"mad", 3},  {"fma", 3}, {"min", 2},  {"max", 2},
      {"and", 2},  {"or", 2},    {"xor", 2},  {"not", 1},  {"neg", 1}, {"abs", 1},  {"ex2", 1},
      {"lg2", 1},  {"rcp", 1},   {"sqrt", 1}, {"sin", 1},  {"cos", 1}, {"tanh", 1}, {"div", 2},
      {"rem", 2},  {"shl", 2},   {"shr", 2},  {"popc", 1}, {"clz", 1}, {"brev", 1}, {"selp", 3},
      {"prmt", 3}, {"rsqrt", 1}, {"lop3", 4}, {"shf", 3},  {"bfe", 3}, {"bfi", 4}};
  const auto known = kSources.find(base);
  if (known == kSources.end() || modifiers.empty() || operands.size() != known->second + 1) {
    return std::nullopt;
  }
  const std::string type = modifiers.back();
  modifiers.pop_back();
  if (!is_ptx_type(type)) return std::nullopt;
  drop(modifiers, {"approx", "ftz", "full", "rn"});
  std::string name = base;
  for (const std::string_view part : {"lo", "hi", "wide", "l", "r", "wrap", "clamp"}) {
    const bool belongs = base == "mul" || base == "mad" || base == "shf";
    if (belongs && drop(modifiers, {part})) name += fmt::format("_{}", part);
  }
  if (!modifiers.empty()) return std::nullopt;
  if (is_one_of(base, {"prmt", "lop3", "shf"})) return computed(name, operands);
  if (is_one_of(base, {"and", "or", "xor", "not"})) name += '_';
  const bool bits = is_one_of(base, {"popc", "clz", "brev", "shl"});
  const std::string unsigned_type = bits && type[0] == 'b' ? "u" + type.substr(1) : type;
  if (name == "mad") return std::nullopt;
  return computed(fmt::format("{}<assay_ptx::{}>", name, unsigned_type), operands);
}

Text Translator::comparison(const Words& modifiers, const Words& operands) const {
  Words rest = modifiers;
  drop(rest, {"ftz"});
  if (rest.size() != 2 || operands.size() != 3 || !is_ptx_type(rest[1])) return std::nullopt;
  static const std::map<std::string_view, std::string_view> kNames = {
      {"eq", "eq"}, {"ne", "ne"}, {"lt", "lt"}, {"le", "le"}, {"gt", "gt"},
      {"ge", "ge"}, {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
  const auto name = kNames.find(rest[0]);
  if (name == kNames.end()) return std::nullopt;
  return computed(fmt::format("cmp_{}<assay_ptx::{}>", name->second, rest[1]), operands);
}

Text Translator::conversion(Words modifiers, const Words& operands) const {
  drop(modifiers, {"ftz", "satfinite"});
  if (modifiers.size() < 2) return std::nullopt;
  const std::string from = modifiers.back();
  const std::string to = modifiers[modifiers.size() - 2];
  modifiers.resize(modifiers.size() - 2);
  if (modifiers.size() > 1) return std::nullopt;
  const std::string rounding = modifiers.empty() ? "none" : modifiers[0];
  if (from == "f32" && operands.size() == 3 && rounding == "rn") {
    if (to == "f16x2" || to == "bf16x2") {
      return computed(fmt::format("cvt_pair<assay_ptx::{}>", to), operands);
    }
    if (to == "e4m3x2" || to == "e5m2x2") return computed("cvt_" + to, operands);
  }
  if (operands.size() != 2) return std::nullopt;
  if (to == "tf32" && from == "f32" && rounding == "rna") return computed("cvt_tf32", operands);
  const bool narrows = is_one_of(to, {"f16", "bf16", "f32"}) && from[0] == 'f';
  const bool known = is_one_of(rounding, {"none", "rn", "rni", "rzi", "rmi", "rpi"}) ||
                     (rounding == "rz" && !narrows && from != "f32" && to[0] != 'f');
  if (!known || !is_ptx_type(to) || !is_ptx_type(from)) return std::nullopt;
  return computed(
      fmt::format("cvt<assay_ptx::{}, assay_ptx::{}, assay_ptx::Round::{}>", to, from, rounding),
      operands);
}

/// Also cvta: an address is the same number in every space but shared memory.
Text Translator::move(const Words& modifiers, const Words& operands) const {
  if (modifiers.empty() || operands.size() != 2 || !is_ptx_type(modifiers.back()))
    return std::nullopt;
  const bool to_shared =
      is_one_of(modifiers[0], {"to"}) && modifiers.size() > 2 && modifiers[1].starts_with("shared");
  if (to_shared) {
    const Text to = names_.value(operands[0]);
    const Text from = names_.value(operands[1]);
    if (!to || !from) return std::nullopt;
    return fmt::format(
        "assay_ptx::set({}, static_cast<assay_ptx::u64>(__cvta_generic_to_shared("
        "assay_ptx::global({}))));",
        *to, *from);
  }
  if (modifiers[0].starts_with("shared")) return std::nullopt;
  if (operands[1].starts_with('{')) return computed("pack", operands);
  if (operands[0].starts_with('{')) {
    const Text from = names_.value(operands[1]);
    if (!from) return std::nullopt;
    const Text all = names_.values({operands[0]}, 0, *from);
    if (!all) return std::nullopt;
    return fmt::format("assay_ptx::unpack({});", *all);
  }
  return computed(fmt::format("mov<assay_ptx::{}>", modifiers.back()), operands);
}

Text Translator::memory(const std::string& base, Words modifiers, const Words& operands) const {
  drop(modifiers, {"ca",
                   "cg",
                   "cs",
                   "lu",
                   "cv",
                   "nc",
                   "wb",
                   "wt",
                   "volatile",
                   "relaxed",
                   "acquire",
                   "release",
                   "weak",
                   "cta",
                   "gpu",
                   "sys",
                   "v2",
                   "v4",
                   "L1::no_allocate",
                   "L1::evict_last",
                   "L1::evict_first",
                   "L1::evict_normal",
                   "L1::evict_unchanged",
                   "L2::64B",
                   "L2::128B",
                   "L2::256B",
                   "global"});
  const bool shared = drop(modifiers, {"shared", "shared::cta"});
  if (modifiers.size() != 1 || !is_ptx_type(modifiers[0]) || operands.size() != 2)
    return std::nullopt;
  const bool loads = base != "st";
  const Text at = names_.address(operands[loads ? 1 : 0], shared);
  if (!at) return std::nullopt;
  const Text all = names_.values({operands[loads ? 0 : 1]}, 0, *at);
  if (!all) return std::nullopt;
  return fmt::format("assay_ptx::{}<assay_ptx::{}>({});", loads ? "load" : "store", modifiers[0],
                     *all);
}

Text Translator::atomic(const std::string& base, Words modifiers, const Words& operands) const {
  drop(modifiers,
       {"relaxed", "acquire", "release", "acq_rel", "gpu", "cta", "sys", "global", "noftz"});
  const bool shared = drop(modifiers, {"shared", "shared::cta"});
  const std::size_t first = base == "atom" ? 1 : 0;
  if (modifiers.size() != 2 || operands.size() < first + 2 || !is_ptx_type(modifiers[1]) ||
      !is_one_of(modifiers[0],
                 {"add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec"})) {
    return std::nullopt;
  }
  const Text at = names_.address(operands[first], shared);
  if (!at) return std::nullopt;
  const Text all = names_.values(operands, first + 1, *at);
  if (!all) return std::nullopt;
  std::string type = modifiers[1];
  if (type[0] == 'b') type[0] = 'u';
  const std::string call =
      fmt::format("assay_ptx::atom_{}<assay_ptx::{}>({})", modifiers[0], type, *all);
  if (first == 0) return call + ";";
  const Text to = names_.value(operands[0]);
  if (!to) return std::nullopt;
  return fmt::format("assay_ptx::set({}, {});", *to, call);
}

/// A copy is done when it is asked for, so nothing is left to wait for.
Text Translator::async_copy(Words modifiers, const Words& operands) const {
  if (modifiers.empty() || modifiers[0] != "async") return std::nullopt;
  modifiers.erase(modifiers.begin());
  if (modifiers.size() == 1 &&
      is_one_of(modifiers[0], {"commit_group", "wait_group", "wait_all"})) {
    return "";
  }
  const bool hint = drop(modifiers, {"L2::cache_hint"});
  drop(modifiers, {"ca", "cg", "L2::64B", "L2::128B", "L2::256B"});
  const bool known = modifiers.size() == 2 && is_one_of(modifiers[0], {"shared", "shared::cta"}) &&
                     modifiers[1] == "global";
  Words copied = operands;
  if (hint && !copied.empty()) copied.pop_back();
  if (!known || copied.size() < 3 || copied.size() > 4) return std::nullopt;
  const Text to = names_.address(copied[0], true);
  const Text from = names_.address(copied[1], false);
  if (!to || !from) return std::nullopt;
  const Text all = names_.values(copied, 2, *to + ", " + *from);
  if (!all) return std::nullopt;
  return fmt::format("assay_ptx::cp_async({});", *all);
}

Text Translator::matrix(const std::string& base, Words modifiers, const Words& operands) const {
  if (!drop(modifiers, {"sync"}) || operands.empty()) return std::nullopt;
  drop(modifiers, {"aligned"});
  const Text to = names_.values({operands[0]}, 0);
  if (!to) return std::nullopt;
  if (base == "ldmatrix") {
    drop(modifiers, {"m8n8", "shared", "shared::cta", "b16"});
    const bool transposed = drop(modifiers, {"trans"});
    if (modifiers.size() != 1 || !is_one_of(modifiers[0], {"x1", "x2", "x4"}) ||
        operands.size() != 2) {
      return std::nullopt;
    }
    const Text row = names_.address(operands[1], true);
    if (!row) return std::nullopt;
    return fmt::format("assay_ptx::spread(assay_ptx::ldmatrix<{}, {}>({}), {});",
                       modifiers[0].substr(1), transposed, *row, *to);
  }
  static const std::map<std::string_view, std::string_view> kShapes = {
      {"m16n8k4", "16, 4"},   {"m16n8k8", "16, 8"}, {"m16n8k16", "16, 16"},
      {"m16n8k32", "16, 32"}, {"m8n8k4", "8, 4"},   {"m8n8k16", "8, 16"}};
  drop(modifiers, {"satfinite"});
  if (modifiers.size() != 7 || operands.size() != 4) return std::nullopt;
  const auto shape = kShapes.find(modifiers[0]);
  const bool known =
      shape != kShapes.end() && modifiers[1] == "row" && modifiers[2] == "col" &&
      modifiers[3] == modifiers[6] && is_one_of(modifiers[3], {"f16", "f32", "f64", "s32"}) &&
      std::ranges::all_of(std::array{modifiers[4], modifiers[5]}, [](std::string_view type) {
        return is_one_of(type, {"f16", "bf16", "tf32", "s8", "u8", "e4m3", "e5m2", "f64"});
      });
  if (!known || (modifiers[0] == "m8n8k4" && modifiers[3] != "f64")) return std::nullopt;
  std::string sources;
  for (std::size_t i = 1; i < 4; ++i) {
    const Text registers = names_.values({operands[i]}, 0);
    if (!registers) return std::nullopt;
    sources += fmt::format("{}assay_ptx::words({})", i == 1 ? "" : ", ", *registers);
  }
  return fmt::format(
      "assay_ptx::spread(assay_ptx::mma<{}, assay_ptx::{}, assay_ptx::{}, assay_ptx::{}>({}), {});",
      shape->second, modifiers[4], modifiers[5], modifiers[3], sources, *to);
}

/// Barriers, fences, hints, and what lanes tell each other.
Text Translator::waiting(const std::string& base, Words modifiers, const Words& operands) const {
  const std::string all = fmt::format("{}", fmt::join(modifiers, "."));
  if (base == "bar" || base == "barrier") {
    drop(modifiers, {"sync", "cta", "aligned"});
    const bool all_threads = modifiers.empty() && operands.size() == 1 && operands[0] == "0";
    if (base == "bar" && all == "warp.sync") {
      const Text mask = names_.values(operands, 0);
      return mask ? Text(fmt::format("__syncwarp({});", *mask)) : std::nullopt;
    }
    return all_threads ? Text("__syncthreads();") : std::nullopt;
  }
  if (base == "membar" || (base == "fence" && !all.starts_with("proxy"))) {
    return "__threadfence();";
  }
  if (is_one_of(base, {"prefetch", "prefetchu", "nanosleep", "griddepcontrol", "setmaxnreg"})) {
    return base == "nanosleep" ? "__nanosleep(0);" : "";
  }
  if (base == "trap") return "__trap();";
  if (base == "activemask" && operands.size() == 1) {
    const Text to = names_.value(operands[0]);
    return to ? Text(fmt::format("assay_ptx::set({}, __activemask());", *to)) : std::nullopt;
  }
  if (base == "shfl" && operands.size() == 5 && modifiers.size() == 3 && modifiers[0] == "sync" &&
      is_one_of(modifiers[1], {"bfly", "down", "up", "idx"}) && modifiers[2] == "b32") {
    return computed("shfl_" + modifiers[1], operands);
  }
  return std::nullopt;
}

}  // namespace

PtxCode translate_ptx(std::string_view text) {
  return Translator().run(text);
}

}  // namespace assay::simt
