#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "cli/commands.hpp"
#include "cli/say.hpp"

namespace assay::cli {

namespace {

/// The message without control characters: names in it may come from a file that somebody else
/// made, and must not move the cursor of a terminal.
std::string printable(std::string message) {
  for (char& c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20U && c != '\n' && c != '\t') || byte == 0x7FU) c = '?';
  }
  return message;
}

}  // namespace

int report(const Error& error) {
  say(stderr, "assay: {}\n", printable(error.message()));
  return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::not_found
             ? kUsage
             : kFailure;
}

}  // namespace assay::cli
