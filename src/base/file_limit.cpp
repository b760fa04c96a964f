#include "base/file_limit.hpp"

#include <algorithm>
#include <cstddef>

#include <sys/resource.h>

namespace assay {

std::size_t raise_file_limit() {
  constexpr rlim_t kEnough = 65536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::max(before, std::min(limit.rlim_max, kEnough));
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

}  // namespace assay
