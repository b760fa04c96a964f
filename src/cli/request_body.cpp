// How the flags of evaluate, compare and watch become the body of a request.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "cli/forward_match.hpp"
#include "cli/json_edit.hpp"
#include "cli/request_flags.hpp"
#include "cli/source_type.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using wire::Value;

constexpr std::size_t kMaxFile = std::size_t{64} << 20U;
constexpr std::array<std::string_view, 2> kReferences = {"reference", "ref_kernel"};
constexpr std::array<std::string_view, 3> kCandidates = {"candidate", "kernel", "custom_kernel"};

Result<std::string> read_text(const fs::path& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    ASSAY_TRY(text, read_file(path, kMaxFile));
  }
  if (!trimmed(text).empty()) return text;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is empty", path == "-" ? "standard input" : path.string()));
}

/// What a file of JSON holds, which must be an object.
Result<Value> parse_object(const fs::path& path, std::string_view text, std::string_view what) {
  auto value = Value::parse(text);
  if (!value) return std::unexpected(std::move(value).error().while_doing(path.string()));
  if (looks_like_json(text)) return value;
  return fail(ErrorCode::invalid_argument, fmt::format("{} is not a {}", path.string(), what));
}

Result<Value> read_contract(const fs::path& path) {
  ASSAY_TRY(const std::string text, read_text(path));
  return parse_object(path, text, R"(contract: that is an object {"args": [...], "launch": ...})");
}

template <class T>
void set_if(Value::Members& members, std::string_view key, const std::optional<T>& value) {
  if (value) set_member(members, key, Value(*value));
}

/// A source that was named, with its text.
struct Source {
  fs::path path;
  std::string text;
};

/// What the flags say of one of the two kernels.
struct Side {
  std::span<const std::string_view> keys;  // under which a request has it; new ones get the first
  std::optional<Source> source{};
  const std::optional<std::string>& type;
  std::string_view type_flag;  // which says it
  const std::optional<std::string>& kernel_name;
  const std::optional<fs::path>& io;
  bool looks_beside = true;  // for a contract, where no flag names one
};

/// Of a Python file the type that the request has for its kernel still fits, unless it is cuda.
Result<std::string> type_of(const Side& side, std::string_view in_request) {
  if (side.type) return *side.type;
  const Source& source = *side.source;
  ASSAY_TRY(std::string type, source_type(source.path, source.text, side.type_flag));
  const bool keeps = !in_request.empty() && type != "cuda" && in_request != "cuda";
  return keeps ? std::string(in_request) : std::move(type);
}

fs::path contract_beside(const fs::path& source) {
  return fs::path(source).replace_extension(".io.json");
}

bool needs_contract(const Value::Members& kernel) {
  const Value held = kernel;
  const bool is_bare_triton = held["kernel_type"].text() == "triton" &&
                              held["source_code"].text().find("class ") == std::string_view::npos;
  return held["io"].is_null() && (held["kernel_type"].text() == "cuda" || is_bare_triton);
}

/// The metadata that choose this name in a source: a kernel, or a class or function of Python.
std::string_view name_key(const Value& kernel, const std::string& name) {
  const std::string_view type = kernel["kernel_type"].text();
  if (type == "multi_kernel") return "entry_point";
  if (type != "torch" && type != "torch_cuda") return "kernel_name";
  const bool is_class =
      kernel["source_code"].text().find("class " + name) != std::string_view::npos;
  return is_class ? "class_name" : "function_name";
}

/// A kernel of the request, or null, under what the flags say of it.
Result<Value::Members> kernel_value(const Side& side, const Value& in_request) {
  Value::Members kernel = in_request.members();
  set_if(kernel, "kernel_type", side.type);
  if (side.source) {
    ASSAY_TRY(const std::string type, type_of(side, in_request["kernel_type"].text()));
    set_member(kernel, "source_code", side.source->text);
    set_member(kernel, "kernel_type", type);
  }
  if (side.io) {
    ASSAY_TRY(Value io, read_contract(*side.io));
    set_member(kernel, "io", std::move(io));
  } else if (side.source && side.looks_beside && needs_contract(kernel)) {
    const fs::path beside = contract_beside(side.source->path);
    if (fs::exists(beside)) {
      ASSAY_TRY(Value io, read_contract(beside));
      set_member(kernel, "io", std::move(io));
    }
  }
  if (side.kernel_name) {
    Value::Members metadata = in_request["metadata"].members();
    set_member(metadata, name_key(kernel, *side.kernel_name), *side.kernel_name);
    set_member(kernel, "metadata", std::move(metadata));
  }
  return kernel;
}

auto find_kernel(Value::Members& body, const Side& side) {
  return std::ranges::find_first_of(body, side.keys, {}, &Value::Member::first);
}

/// Changes the kernel that the request has under one of the side's keys, or adds it.
Result<void> set_kernel(Value::Members& body, const Side& side) {
  const auto held = find_kernel(body, side);
  if (held == body.end() && !side.source) return {};
  ASSAY_TRY(Value::Members kernel, kernel_value(side, held == body.end() ? Value() : held->second));
  set_member(body, held == body.end() ? side.keys.front() : std::string_view(held->first),
             std::move(kernel));
  return {};
}

/// Whether the reference is a model in Python, which has inputs of its own.
bool is_model(const Value& kernel) {
  const std::string_view type = kernel["kernel_type"].text();
  return type == "torch" || type == "torch_cuda" ||
         (type == "triton" &&
          kernel["source_code"].text().find("class ") != std::string_view::npos);
}

void set_io(Value& kernel, Value io) {
  Value::Members members = kernel.members();
  set_member(members, "io", std::move(io));
  kernel = std::move(members);
}

/// One of the two kernels: what the flags say of it, and what the request has of it by now.
struct Contender {
  const Side& side;
  Value& kernel;
  bool is_reference;
};

/// Between two kernels: one that lacks a contract is called as the other is.
void share_between_kernels(const Contender& reference, const Contender& candidate) {
  const Value io = reference.kernel["io"];
  if (candidate.side.source && !io.is_null() && needs_contract(candidate.kernel.members())) {
    set_io(candidate.kernel, io);
  }
  if (reference.side.source && io.is_null() && !candidate.kernel["io"].is_null()) {
    set_io(reference.kernel, candidate.kernel["io"]);
  }
}

/// Between a model and a kernel: the model is called with the kernel's tensors, in its own order.
Result<void> share_with_model(const Contender& model, const Contender& other) {
  if (!model.side.source) return {};
  const Value own = model.kernel["io"];
  const bool is_typed = model.side.io && !own.is_null();
  if (!is_typed && !own.is_null()) return {};
  if (is_typed && other.side.source && needs_contract(other.kernel.members())) {
    set_io(other.kernel, own);
  }
  const Value& io = other.kernel["io"];
  if (io.is_null()) return {};
  const ModelSource source{.text = model.kernel["source_code"].text(),
                           .is_reference = model.is_reference};
  ASSAY_TRY(MatchedContracts matched,
            is_typed ? match_own_contract(own, io, source) : match_to_forward(io, source));
  set_io(model.kernel, std::move(matched.model));
  set_io(other.kernel, std::move(matched.kernel));
  return {};
}

/// Between two models each has its own inputs, or those of a contract that was typed.
Result<void> put_in_order(const Contender& model) {
  const Value io = model.kernel["io"];
  if (!model.side.source || !model.side.io || io.is_null()) return {};
  const ModelSource source{.text = model.kernel["source_code"].text(),
                           .is_reference = model.is_reference};
  ASSAY_TRY(MatchedContracts matched, match_own_contract(io, io, source));
  set_io(model.kernel, std::move(matched.model));
  return {};
}

/// Where only one of two files has a contract, the other shares it.
Result<void> share_contract(Value::Members& body, const Side& reference, const Side& candidate) {
  const auto ours = find_kernel(body, reference);
  const auto theirs = find_kernel(body, candidate);
  if (theirs == body.end()) return {};
  const Contender fast{.side = candidate, .kernel = theirs->second, .is_reference = false};
  if (ours == body.end()) return is_model(fast.kernel) ? put_in_order(fast) : Result<void>{};
  const Contender slow{.side = reference, .kernel = ours->second, .is_reference = true};
  const bool is_slow_model = is_model(slow.kernel);
  const bool is_fast_model = is_model(fast.kernel);
  if (is_slow_model && is_fast_model) {
    auto done = put_in_order(slow);
    return done ? put_in_order(fast) : done;
  }
  if (is_slow_model) return share_with_model(slow, fast);
  if (is_fast_model) return share_with_model(fast, slow);
  share_between_kernels(slow, fast);
  return {};
}

/// Contracts are asked for here: only this side knows what the files are called.
Result<void> check_contract(Value::Members& body, const Side& side, std::string_view flag) {
  const auto held = find_kernel(body, side);
  if (held == body.end() || !side.source || !needs_contract(held->second.members())) return {};
  const std::string file = side.source->path.string();
  if (file == "-") {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the kernel on standard input needs a contract, which says what it is "
                            "called with: name its file with {}",
                            flag));
  }
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("{} needs an io_contract, which says what it is called with: `assay init {}` "
                  "drafts {}, or name a file with {}",
                  file, file, contract_beside(side.source->path).string(), flag));
}

/// Sorts the FILES by what they are: a request, or sources in the order of the command line.
struct Files {
  std::optional<Value> request{};
  std::optional<Source> reference{};
  std::optional<Source> candidate{};
};

Result<std::optional<Source>> source_at(const std::optional<fs::path>& path) {
  if (!path) return std::nullopt;
  ASSAY_TRY(std::string text, read_text(*path));
  return Source{.path = *path, .text = std::move(text)};
}

/// Standard input can be read once.
Result<void> check_standard_input(const RequestFlags& flags) {
  auto times = std::ranges::count(flags.files, "-");
  for (const auto& path : {flags.reference, flags.candidate, flags.io, flags.ref_io}) {
    if (path && *path == "-") ++times;
  }
  if (times < 2) return {};
  return fail(ErrorCode::invalid_argument, "`-` is standard input, and can be given once");
}

Result<Files> read_files(const RequestFlags& flags, bool with_reference) {
  Files files;
  if (auto once = check_standard_input(flags); !once) return std::unexpected(once.error());
  ASSAY_TRY(files.reference, source_at(flags.reference));
  ASSAY_TRY(files.candidate, source_at(flags.candidate));
  std::vector<Source> sources;
  for (const std::string& name : flags.files) {
    ASSAY_TRY(std::string text, read_text(name));
    if (fs::path(name).extension() == ".json" || (name == "-" && looks_like_json(text))) {
      if (files.request) return fail(ErrorCode::invalid_argument, "there are two REQUEST files");
      ASSAY_TRY(files.request,
                parse_object(name, text, R"(request: that is an object {"candidate": ..., ...})"));
    } else {
      sources.push_back({.path = name, .text = std::move(text)});
    }
  }
  if (sources.size() == 2) {
    if (files.reference || files.candidate) {
      return fail(ErrorCode::invalid_argument,
                  "REFERENCE and CANDIDATE are given twice: as FILES and with -r or -c");
    }
    files.reference = std::move(sources[0]);
    files.candidate = std::move(sources[1]);
  } else if (sources.size() == 1) {
    auto& free = files.candidate ? files.reference : files.candidate;
    if (free || (!with_reference && files.candidate)) {
      return fail(ErrorCode::invalid_argument, "the kernel is given twice: as FILES and with -c");
    }
    free = std::move(sources[0]);
  }
  return files;
}

/// As the number it is; what is no number goes as it stands, for the server to take or refuse.
Value trials_value(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  return text;
}

void set_timing(Value::Members& body, const RequestFlags& flags) {
  if (flags.num_trials) set_member(body, "num_trials", trials_value(*flags.num_trials));
  if (!flags.timing_mode && !flags.threshold) return;
  Value::Members timing = Value(body)["timing"].members();
  set_if(timing, "mode", flags.timing_mode);
  set_if(timing, "threshold", flags.threshold);
  set_member(body, "timing", std::move(timing));
}

void set_names(Value::Members& body, std::string_view key, const std::vector<std::string>& names) {
  if (names.empty()) return;
  set_member(body, key, Value::Elements(names.begin(), names.end()));
}

void set_options(Value::Members& body, const RequestFlags& flags) {
  set_timing(body, flags);
  set_if(body, "timeout", flags.timeout);
  set_if(body, "rounds", flags.rounds);
  set_if(body, "atol", flags.atol);
  set_if(body, "rtol", flags.rtol);
  set_if(body, "seed", flags.seed);
  set_if(body, "device", flags.device);
  set_if(body, "name", flags.name);
  if (flags.judge_speed) set_member(body, "judge_speed", true);
  if (flags.strict) set_member(body, "strict", true);
  set_names(body, "allow", flags.allow);
  set_names(body, "require", flags.require);
  set_names(body, "sanitize", flags.sanitize);
}

}  // namespace

Result<std::string> request_body(const RequestFlags& flags, bool with_reference) {
  ASSAY_TRY(Files files, read_files(flags, with_reference));
  if (!files.request && !files.candidate) {
    return fail(ErrorCode::invalid_argument,
                with_reference ? "there is nothing to judge: give REFERENCE and CANDIDATE, or a "
                                 "REQUEST file. `assay init` writes some to begin with"
                               : "there is nothing to run: give a kernel, or a REQUEST file");
  }
  Value::Members body = files.request ? files.request->members() : Value::Members{};
  const Side reference{.keys = kReferences,
                       .source = std::move(files.reference),
                       .type = flags.ref_type,
                       .type_flag = "--ref-type",
                       .kernel_name = flags.ref_kernel_name,
                       .io = flags.ref_io,
                       .looks_beside = !flags.io};  // what is typed wins over what is found
  const Side candidate{.keys = kCandidates,
                       .source = std::move(files.candidate),
                       .type = flags.type,
                       .type_flag = "--type",
                       .kernel_name = flags.kernel_name,
                       .io = flags.io};
  auto done = set_kernel(body, reference);
  if (done) done = set_kernel(body, candidate);
  if (done) done = share_contract(body, reference, candidate);
  if (done) done = check_contract(body, candidate, "--io");
  if (done) done = check_contract(body, reference, "--ref-io");
  if (!done) return std::unexpected(std::move(done).error());
  if (with_reference && find_kernel(body, reference) == body.end()) {
    return fail(ErrorCode::invalid_argument,
                "there is nothing to compare with: give a second file, --reference, or a REQUEST "
                "that has one");
  }
  set_options(body, flags);
  if (candidate.source && Value(body)["name"].is_null() && candidate.source->path != "-") {
    set_member(body, "name", candidate.source->path.filename().string());
  }
  return Value(std::move(body)).dump();
}

std::vector<fs::path> files_of(const RequestFlags& flags) {
  std::vector<fs::path> files;
  for (const std::string& name : flags.files) files.emplace_back(name);
  for (const auto& path : {flags.reference, flags.candidate, flags.io, flags.ref_io}) {
    if (path) files.push_back(*path);
  }
  for (std::size_t i = 0, count = files.size(); i < count; ++i) {
    if (const fs::path beside = contract_beside(files[i]); fs::exists(beside)) {
      files.push_back(beside);
    }
  }
  std::erase(files, "-");
  return files;
}

}  // namespace assay::cli
