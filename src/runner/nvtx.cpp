#include "runner/nvtx.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <dlfcn.h>

namespace assay::runner {
namespace {

// The numbers and layouts of NVTX 3, which its tools read.
constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kCallbacksTable = 1;
constexpr std::uint32_t kVersionTable = 3;
constexpr int kCoreModule = 1;
constexpr int kModules = 7;
constexpr std::size_t kMostFunctions = 32;  // of any module; the largest has 16
constexpr std::size_t kRangeStart = 5;      // nvtxRangeStartA
constexpr std::size_t kRangeEnd = 7;
// How many functions each module has, from `invalid` to `sync`.
constexpr std::array<unsigned, kModules> kSizes{0, 16, 9, 15, 7, 16, 7};

using Function = void (*)();

struct Table {
  std::array<Function, kMostFunctions> functions{};
  std::array<Function*, kMostFunctions + 1> slots{};  // what a tool is given: where to write each
};

/// The protocol has no argument to say whose tables are meant.
std::array<Table, kModules>& tables() {
  static std::array<Table, kModules> all;
  return all;
}

int give_table(int module, Function*** table, unsigned* size) {
  if (module <= 0 || module >= kModules) return 0;
  Table& wanted = tables()[static_cast<std::size_t>(module)];
  const unsigned count = kSizes[static_cast<std::size_t>(module)];
  for (std::size_t i = 1; i < count; ++i) wanted.slots[i] = &wanted.functions[i];
  if (size != nullptr) *size = count;
  if (table != nullptr) *table = wanted.slots.data();
  return 1;
}

void take_version(std::uint32_t /*version*/) {}

struct Callbacks {
  std::size_t size = sizeof(Callbacks);
  int (*give_table)(int, Function***, unsigned*) = assay::runner::give_table;
};

struct Version {
  std::size_t size = sizeof(Version);
  std::uint32_t version = kVersion;
  std::uint32_t reserved = 0;
  void (*take_version)(std::uint32_t) = assay::runner::take_version;
};

const void* export_table(std::uint32_t id) {
  static constexpr Callbacks kCallbacks;
  static constexpr Version kVersionInfo;
  if (id == kCallbacksTable) return &kCallbacks;
  if (id == kVersionTable) return &kVersionInfo;
  return nullptr;
}

using Initialise = int (*)(const void* (*)(std::uint32_t));

Initialise find_tool() {
  const char* const path = std::getenv("NVTX_INJECTION64_PATH");  // NOLINT(concurrency-mt-unsafe)
  if (path != nullptr) {
    if (void* const library = ::dlopen(path, RTLD_LAZY)) {
      return reinterpret_cast<Initialise>(::dlsym(library, "InitializeInjectionNvtx2"));
    }
  }
  return reinterpret_cast<Initialise>(::dlsym(RTLD_DEFAULT, "InitializeInjectionNvtx2Preinject"));
}

}  // namespace

std::unique_ptr<Nvtx> Nvtx::attach() {
  const Initialise initialise = find_tool();
  if (initialise == nullptr || initialise(export_table) == 0) return nullptr;
  const auto& core = tables()[kCoreModule].functions;
  std::unique_ptr<Nvtx> nvtx(new Nvtx);
  nvtx->start_ = reinterpret_cast<Start>(core[kRangeStart]);
  nvtx->end_ = reinterpret_cast<End>(core[kRangeEnd]);
  if (nvtx->start_ == nullptr || nvtx->end_ == nullptr) return nullptr;
  return nvtx;
}

Nvtx::~Nvtx() = default;

Nvtx::Range::Range(const Nvtx& nvtx, const std::string& name)
    : nvtx_(nvtx), id_(nvtx.start_(name.c_str())) {}

Nvtx::Range::~Range() {
  nvtx_.end_(id_);
}

}  // namespace assay::runner
