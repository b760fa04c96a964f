#include <cstdio>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "cli/commands.hpp"
#include "cli/say.hpp"

namespace assay::cli {

int report(const Error& error) {
  say(stderr, "assay: {}\n", printable(error.message()));
  return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::not_found
             ? kUsage
             : kFailure;
}

}  // namespace assay::cli
