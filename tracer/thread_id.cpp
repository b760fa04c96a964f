#include "tracer/thread_id.hpp"

#include <cstdint>

#include <unistd.h>

namespace assay::tracer {
namespace {

thread_local std::uint32_t known = 0;

}  // namespace

std::uint32_t thread_id() {
  if (known == 0) known = static_cast<std::uint32_t>(::gettid());
  return known;
}

void forget_thread_id() {
  known = 0;
}

}  // namespace assay::tracer
