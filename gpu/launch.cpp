// Launches of kernels that were compiled apart from the library that calls them. Compiled once, and
// linked into every extension.
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <assay/gpu/launch.hpp>
#include <dlfcn.h>

namespace assay::gpu {
namespace {

/// An image for this GPU, and which of its functions each stub stands for.
struct DeviceSide {
  std::mutex mutex;
  const void* image = nullptr;
  void* module = nullptr;
  std::unordered_map<std::string, std::string> functions;  // by the stub's symbol
  std::unordered_map<const void*, void*> loaded;           // by the stub's address
};

DeviceSide& device_side() {
  static DeviceSide side;
  return side;
}

template <class Function>
Function driver_function(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("the CUDA driver has no ") + name);
  return reinterpret_cast<Function>(symbol);
}

/// The functions of the driver that are used here, found at the first launch.
struct Driver {
  using Load = int (*)(void** module, const void* image);
  using Find = int (*)(void** function, void* module, const char* name);
  using Set = int (*)(void* function, int attribute, int value);
  using Launch = int (*)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned shared, void* stream, const void** arguments, void** extra);
  using Explain = int (*)(int error, const char** text);

  Load load = driver_function<Load>("cuModuleLoadData");
  Find find = driver_function<Find>("cuModuleGetFunction");
  Set set = driver_function<Set>("cuFuncSetAttribute");
  Launch launch = driver_function<Launch>("cuLaunchKernel");
  Explain explain = driver_function<Explain>("cuGetErrorString");
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

void check(int error, const char* what) {
  if (error == 0) return;
  const char* text = nullptr;
  driver().explain(error, &text);
  throw std::runtime_error(std::string("CUDA error: ") + (text == nullptr ? "unknown" : text) +
                           " (" + what + ")");
}

void* function_of(const void* stub, const char* kernel) {
  DeviceSide& side = device_side();
  const std::lock_guard lock(side.mutex);
  void*& function = side.loaded[stub];
  if (function != nullptr) return function;
  Dl_info info{};
  const bool known = dladdr(stub, &info) != 0 && info.dli_sname != nullptr &&
                     side.functions.contains(info.dli_sname);
  if (!known) throw std::runtime_error(std::string("kernel was not compiled: ") + kernel);
  if (side.module == nullptr) check(driver().load(&side.module, side.image), "cuModuleLoadData");
  check(driver().find(&function, side.module, side.functions[info.dli_sname].c_str()),
        "cuModuleGetFunction");
  return function;
}

}  // namespace

void launch(const void* stub, const char* kernel, const void** arguments) {
  const Configuration c = configuration;
  check(
      driver().launch(function_of(stub, kernel), c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y,
                      c.block.z, static_cast<unsigned>(c.shared), c.stream, arguments, nullptr),
      "cuLaunchKernel");
}

void set_attribute(const void* stub, int attribute, int value) {
  check(driver().set(function_of(stub, "cudaFuncSetAttribute"), attribute, value),
        "cuFuncSetAttribute");
}

void only_on_device() {
  throw std::logic_error("a device function was called on the host");
}

}  // namespace assay::gpu

/// Called by whoever loads the library, before anything of it runs. Both outlive it; `functions` is
/// lines "stub's symbol<tab>function".
extern "C" __attribute__((used, visibility("default"))) void assay_gpu_module(
    const void* image, const char* functions) {
  auto& side = assay::gpu::device_side();
  side.image = image;
  const std::string lines = functions;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t tab = lines.find('\t', begin);
    const std::size_t end = lines.find('\n', begin);
    if (tab == std::string::npos || end == std::string::npos) return;
    side.functions[lines.substr(begin, tab - begin)] = lines.substr(tab + 1, end - tab - 1);
    begin = end + 1;
  }
}
