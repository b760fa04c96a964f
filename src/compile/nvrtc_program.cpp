#include "compile/nvrtc_program.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/kernel_entry.hpp"
#include "compile/nvrtc_headers.hpp"

namespace assay::compile {
namespace {

namespace fs = std::filesystem;

using Program = struct ProgramTag*;
using Status = int;  // nvrtcResult; 0 is success

/// The functions of libnvrtc.
struct Nvrtc {
  const char* (*error_string)(Status);
  Status (*version)(int* major, int* minor);
  Status (*create)(Program*, const char* source, const char* name, int header_count,
                   const char* const* headers, const char* const* header_names);
  Status (*add_name)(Program, const char* expression);
  Status (*compile)(Program, int option_count, const char* const* options);
  Status (*log_size)(Program, std::size_t*);
  Status (*log)(Program, char*);
  Status (*lowered_name)(Program, const char* expression, const char** name);
  Status (*cubin_size)(Program, std::size_t*);
  Status (*cubin)(Program, char*);
  Status (*ptx_size)(Program, std::size_t*);
  Status (*ptx)(Program, char*);
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<Nvrtc> open_nvrtc(const char* library_path, const char* builtins_path) {
  // Opened by its path first: NVRTC asks for it by its bare name, which no search path has.
  void* builtins = ::dlopen(builtins_path, RTLD_NOW | RTLD_GLOBAL);
  void* library = builtins == nullptr ? nullptr : ::dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(ErrorCode::not_found, ::dlerror());
  Nvrtc nvrtc{};
  const bool whole = find(library, "nvrtcGetErrorString", nvrtc.error_string) &&
                     find(library, "nvrtcVersion", nvrtc.version) &&
                     find(library, "nvrtcCreateProgram", nvrtc.create) &&
                     find(library, "nvrtcAddNameExpression", nvrtc.add_name) &&
                     find(library, "nvrtcCompileProgram", nvrtc.compile) &&
                     find(library, "nvrtcGetProgramLogSize", nvrtc.log_size) &&
                     find(library, "nvrtcGetProgramLog", nvrtc.log) &&
                     find(library, "nvrtcGetLoweredName", nvrtc.lowered_name) &&
                     find(library, "nvrtcGetCUBINSize", nvrtc.cubin_size) &&
                     find(library, "nvrtcGetCUBIN", nvrtc.cubin) &&
                     find(library, "nvrtcGetPTXSize", nvrtc.ptx_size) &&
                     find(library, "nvrtcGetPTX", nvrtc.ptx);
  if (!whole) return fail(ErrorCode::not_found, "this NVRTC is too old: it makes no machine code");
  return nvrtc;
}

struct Attempted {
  Status status = 0;
  std::string log;
  std::string cubin;
  std::string ptx;  // empty where this NVRTC keeps none
  std::string entry;
};

std::string log_of(const Nvrtc& nvrtc, Program program) {
  std::size_t size = 0;
  nvrtc.log_size(program, &size);
  std::string log(size, '\0');
  if (size > 0) nvrtc.log(program, log.data());
  while (!log.empty() && log.back() == '\0') log.pop_back();
  return log;
}

std::string ptx_of(const Nvrtc& nvrtc, Program program) {
  std::size_t size = 0;
  if (nvrtc.ptx_size(program, &size) != 0) return {};
  std::string ptx(size, '\0');
  if (size == 0 || nvrtc.ptx(program, ptx.data()) != 0) return {};
  while (!ptx.empty() && ptx.back() == '\0') ptx.pop_back();
  return ptx;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const auto line : std::views::split(text, '\n'))
    lines.emplace_back(line.begin(), line.end());
  return lines;
}

Attempted attempt(const Nvrtc& nvrtc, const std::string& source,
                  const std::vector<std::string>& expressions,
                  std::span<const char* const> options) {
  std::vector<const char*> texts;
  std::vector<const char*> names;
  for (const NvrtcHeader& header : nvrtc_headers()) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  Attempted result;
  Program program = nullptr;  // ends with this process
  result.status = nvrtc.create(&program, source.c_str(), kSourceName,
                               static_cast<int>(texts.size()), texts.data(), names.data());
  for (const std::string& expression : expressions) {
    if (result.status == 0) result.status = nvrtc.add_name(program, expression.c_str());
  }
  if (result.status != 0) {
    result.log = nvrtc.error_string(result.status);
    return result;
  }
  result.status = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  result.log = log_of(nvrtc, program);
  if (result.status != 0) return result;
  for (const std::string& expression : expressions) {
    const char* entry = nullptr;
    result.status = nvrtc.lowered_name(program, expression.c_str(), &entry);
    if (result.status != 0) return result;
    if (!result.entry.empty()) result.entry += '\n';
    result.entry += entry;
  }
  std::size_t size = 0;
  result.status = nvrtc.cubin_size(program, &size);
  if (result.status != 0) return result;
  result.cubin.resize(size);
  result.status = nvrtc.cubin(program, result.cubin.data());
  result.ptx = ptx_of(nvrtc, program);
  return result;
}

int broken(std::string_view why) {
  fmt::print("{}\n", why);
  return kNvrtcBroken;
}

int compile(const Nvrtc& nvrtc, std::span<char* const> arguments) {
  const auto source = read_file(arguments[0]);
  if (!source) return broken(source.error().message());
  const fs::path output = arguments[1];
  const std::vector<std::string> expressions = lines_of(arguments[2]);
  std::vector<const char*> options(arguments.begin() + 3, arguments.end());
  options.push_back("-diag-suppress=47");  // CCCL defines macros that our headers have defined
  // With nvcc INFINITY, M_PI and INT_MAX are there without a header.
  for (const char* header : {"math.h", "limits.h", "float.h"}) {
    options.push_back("-include");
    options.push_back(header);
  }
  const bool one = expressions.size() == 1;  // only then will somebody ask what it takes
  Attempted result = attempt(nvrtc, one ? *source + signature_request(expressions[0]) : *source,
                             expressions, options);
  // A kernel whose signature cannot be asked for (an overload) is compiled all the same.
  if (result.status != 0 && result.log.find(kSignatureFile) != std::string::npos) {
    result = attempt(nvrtc, *source, expressions, options);
  }
  fmt::print("{}", result.log);
  if (result.status != 0) return kNvrtcRejected;
  auto written = write_file_atomically(output / kNvrtcModule, result.cubin);
  if (written) written = write_file_atomically(output / kNvrtcEntry, result.entry);
  if (written) written = write_file_atomically(output / kNvrtcPtx, result.ptx);
  return written ? kNvrtcCompiled : broken(written.error().message());
}

}  // namespace

int nvrtc_compile_main(std::span<char* const> arguments) {
  if (arguments.size() != 2 && arguments.size() < 5) return broken("wrong arguments");
  const auto nvrtc = open_nvrtc(arguments[0], arguments[1]);
  if (!nvrtc) return broken(nvrtc.error().message());
  if (arguments.size() > 2) return compile(*nvrtc, arguments.subspan(2));
  int major = 0;
  int minor = 0;
  if (nvrtc->version(&major, &minor) != 0) return broken("NVRTC does not know its version");
  fmt::print("{}.{}\n", major, minor);
  return kNvrtcCompiled;
}

}  // namespace assay::compile
