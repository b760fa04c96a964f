#include "trace/events/range_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace assay::trace {
namespace {

constexpr std::string_view kStep = "ProfilerStep#";

// Each begins a part that emit_nvtx appends, in the order in which it does.
constexpr std::array<std::string_view, 6> kSuffixes = {
    ", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = ", ", seq_ids = ", ", stashed seq = ",
};

constexpr std::array<std::string_view, 12> kLibraryDomains = {
    "NCCL", "MPI", "TensorRT", "myelin-exec", "cuBLAS",   "CUBLAS",
    "CCCL", "UCX", "NVSHMEM",  "cuDNN",       "cuSPARSE", "cpu_op",
};

// Names that frameworks give the ranges they make themselves.
constexpr std::array<std::string_view, 15> kLibraryPrefixes = {
    "aten::",
    "autograd::",
    "nccl",
    "cuBLAS:",
    "torch::",
    "Optimizer.step#",
    "FSDP::",
    "Optimizer.zero_grad#",
    "c10d::",
    "DistributedDataParallel.",
    "TorchDynamo",
    "FullyShardedDataParallel.",
    "Torch-Compiled Region",
    "## Call CompiledFxGraph",
    "enumerate(DataLoader)",
};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::string_view canonical_range_name(std::string_view name) {
  if (name.starts_with(kStep)) return name.substr(0, kStep.size() - 1);
  std::size_t end = name.size();
  for (const std::string_view suffix : kSuffixes) end = std::min(end, name.find(suffix));
  return name.substr(0, std::min(end, name.size()));
}

bool is_automatic_range(std::string_view name, std::string_view domain) {
  if (std::ranges::find(kLibraryDomains, domain) != kLibraryDomains.end()) return true;
  if (name.find(", op_id = ") != std::string_view::npos) return true;
  if (name.find(", seq = ") != std::string_view::npos) return true;
  return std::ranges::any_of(kLibraryPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::size_t id_length(std::string_view name, std::size_t at) {
  constexpr std::size_t kShortest = 8;
  constexpr std::string_view kUuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  const auto is = [&](std::size_t i, int (*kind)(int)) {
    return i < name.size() && kind(static_cast<unsigned char>(name[i])) != 0;
  };
  if (at > 0 && is(at - 1, std::isalnum)) return 0;
  std::size_t length = 0;
  while (length < kUuid.size() &&
         (kUuid[length] == '-' ? at + length < name.size() && name[at + length] == '-'
                               : is(at + length, std::isxdigit))) {
    ++length;
  }
  if (length == kUuid.size() && !is(at + length, std::isalnum)) return length;
  bool digit = false;
  bool letter = false;
  for (length = 0; is(at + length, std::isxdigit); ++length) {
    (is_digit(name[at + length]) ? digit : letter) = true;
  }
  const bool whole = !is(at + length, std::isalnum);
  return whole && digit && letter && length >= kShortest ? length : 0;
}

std::string numberless(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (const std::size_t id = id_length(name, i); id > 0) {
      out += '#';
      i += id - 1;
    } else if (!is_digit(name[i])) {
      out += name[i];
    } else if (i == 0 || !is_digit(name[i - 1])) {
      out += '#';
    }
  }
  return out;
}

}  // namespace assay::trace
