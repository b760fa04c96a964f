#include "tracer/testkit/traced.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>

namespace assay::tracer {

namespace fs = std::filesystem;

fs::path library_path() {
  return ASSAY_TRACER_LIBRARY;
}
fs::path fake_gpu_folder() {
  return ASSAY_FAKE_GPU_FOLDER;
}
fs::path program_path() {
  return ASSAY_TRACED_PROGRAM;
}

int run_traced(const fs::path& folder, const std::string& script,
               const std::map<std::string, std::string>& environment) {
  const fs::path path = folder / "script";
  std::ofstream(path) << script;
  std::map<std::string, std::string> all = {{"PATH", "/usr/bin:/bin"},
                                            {"LD_LIBRARY_PATH", fake_gpu_folder()},
                                            {"CUDA_INJECTION64_PATH", library_path()},
                                            {"NVTX_INJECTION64_PATH", library_path()},
                                            {"ASSAY_TRACER_FOLDER", folder},
                                            {"ASSAY_TRACER_PERIOD_MS", "20"}};
  for (const auto& [name, value] : environment) all[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : all) entries.push_back(name + "=" + value);
  std::vector<char*> variables;
  for (std::string& entry : entries) variables.push_back(entry.data());
  variables.push_back(nullptr);
  std::string program = program_path();
  std::string argument = path;
  std::vector<char*> argv = {program.data(), argument.data(), nullptr};
  pid_t pid = -1;
  if (posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv.data(), variables.data()) != 0) {
    return -1;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& end) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == end) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace assay::tracer
