#include "cli/terminal.hpp"

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace assay::cli {
namespace {

int code_of(Colour colour) {
  switch (colour) {
    case Colour::good:
      return 32;
    case Colour::bad:
      return 31;
    case Colour::quiet:
      return 2;
  }
  return 0;
}

}  // namespace

bool wants_colour(int descriptor) {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return ::isatty(descriptor) == 1 && (forbidden == nullptr || *forbidden == '\0') && !is_dumb;
}

std::optional<std::size_t> columns_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::string Painter::operator()(Colour colour, std::string_view text) const {
  if (!enabled_ || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code_of(colour), text);
}

Colour colour_of(std::string_view verdict_or_state) {
  if (verdict_or_state == "accepted") return Colour::good;
  for (const std::string_view running :
       {"queued", "building", "waiting", "checking", "timing", "profiling", "cancelled"}) {
    if (verdict_or_state == running) return Colour::quiet;
  }
  return Colour::bad;
}

}  // namespace assay::cli
