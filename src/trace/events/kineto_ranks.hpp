#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/events/assemble.hpp"

namespace assay::trace {

// Private to kineto*.cpp.

/// Tells the processes of a file apart. A profiler writes a file for each rank, and people merge
/// them: ranks then share correlation ids, and each may call its own GPU number 0. Work on a GPU
/// does not say whose it is: its pid is the GPU's number, or what the merging tool made of it.
class KinetoRanks {
 public:
  /// The number of the process that an event of the host is of.
  std::uint32_t host(std::string_view pid, bool calls_cuda);
  /// The number of the group that work on a GPU is of: those with one pid in one rank's part.
  std::uint32_t group(std::string_view pid);

  /// Whether several processes called CUDA.
  [[nodiscard]] bool merged() const;

  /// Fills Trace::processes, and says for each group which of them it belongs to. `host_of_thread`
  /// and `group_of_queue` go with Trace::threads and with what Work::queue holds.
  [[nodiscard]] std::vector<std::uint32_t> assign(
      Assembly& assembly, const std::vector<std::uint32_t>& host_of_thread,
      const std::vector<std::uint32_t>& group_of_queue) const;

 private:
  struct Host {
    std::string pid;
    bool calls_cuda = false;
  };
  std::vector<Host> hosts_;
  std::map<std::string, std::uint32_t, std::less<>> host_ids_;
  std::uint32_t last_host_ = 0;
  bool mixed_ = false;  // events of several ranks stand among each other
  using GroupKey = std::pair<std::string, std::uint32_t>;  // pid, and the rank whose part it is in
  std::vector<GroupKey> groups_;
  std::map<GroupKey, std::uint32_t> group_ids_;
  std::uint32_t last_group_ = 0;
};

/// Gives each process GPUs of its own where several use one number. Adds to Capture::gpus what the
/// new numbers stand for.
void renumber_devices(Trace& trace);

}  // namespace assay::trace
