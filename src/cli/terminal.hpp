#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::cli {

/// Whether people look at the file descriptor: a terminal, and nobody set NO_COLOR.
[[nodiscard]] bool wants_colour(int descriptor);

/// How many columns the terminal behind a descriptor has; nothing if it is no terminal.
[[nodiscard]] std::optional<std::size_t> columns_of(int descriptor);

enum class Colour : std::uint8_t { good, bad, quiet };

/// The text in a colour, or as it is where colours are not wanted.
class Painter {
 public:
  explicit Painter(bool enabled) : enabled_(enabled) {}
  [[nodiscard]] std::string operator()(Colour colour, std::string_view text) const;

 private:
  bool enabled_;
};

/// The colour of a verdict's or a state's name.
[[nodiscard]] Colour colour_of(std::string_view verdict_or_state);

}  // namespace assay::cli
