#include "worker/runner_output.hpp"

#include <cstddef>
#include <cstdio>
#include <expected>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::worker {
namespace {

constexpr std::size_t kOutputBytes = std::size_t{64} * 1024;
constexpr std::size_t kShownBytes = 4096;

}  // namespace

Result<RunnerOutput> RunnerOutput::create() {
  constexpr unsigned kFlags = 3U;  // MFD_CLOEXEC | MFD_ALLOW_SEALING
  UniqueFd fd(static_cast<int>(::syscall(SYS_memfd_create, "assay-output", kFlags)));
  if (!fd || ::ftruncate(fd.get(), kOutputBytes) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    return std::unexpected(errno_error("make a file for a runner's output"));
  }
  return RunnerOutput(std::move(fd));
}

std::string RunnerOutput::tail() const {
  std::string text(kShownBytes, '\0');
  const off_t end = ::lseek(fd_.get(), 0, SEEK_CUR);  // shared with the runner's own writes
  const off_t start =
      end > static_cast<off_t>(kShownBytes) ? end - static_cast<off_t>(kShownBytes) : 0;
  const ssize_t count =
      ::pread(fd_.get(), text.data(), static_cast<std::size_t>(end - start), start);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace assay::worker
