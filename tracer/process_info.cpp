#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include <unistd.h>

#include "tracer/nsys_file.hpp"

namespace assay::tracer {

ProcessInfo this_process() {
  ProcessInfo out{.pid = static_cast<std::uint32_t>(::getpid())};
  std::ifstream name("/proc/self/comm");
  std::getline(name, out.name);
  std::ifstream line("/proc/self/cmdline", std::ios::binary);
  std::string word;
  while (std::getline(line, word, '\0')) out.command.push_back(std::move(word));
  return out;
}

}  // namespace assay::tracer
