#include <cstdio>

#include <fmt/core.h>

#include "base/error.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

int report(const Error& error) {
  fmt::print(stderr, "assay: {}\n", error.message());
  return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::not_found
             ? kUsage
             : kFailure;
}

}  // namespace assay::cli
