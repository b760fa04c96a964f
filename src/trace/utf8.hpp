#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

/// `text` with every byte that is not part of well-formed UTF-8 replaced by U+FFFD. Captures
/// hold such bytes: environment values, kernel names cut in the middle.
[[nodiscard]] std::string to_valid_utf8(std::string_view text);

/// A file's text as UTF-8: without a byte order mark, and decoded if one says that it is UTF-16, as
/// PowerShell writes what is sent to a file. Anything else is left as it is.
[[nodiscard]] std::string without_byte_order_mark(std::string bytes);

/// Like to_valid_utf8, and with control characters shown as `?`: a kernel's name must not be
/// able to move the cursor or end a line.
[[nodiscard]] std::string to_one_line(std::string_view text);

/// Code points of well-formed UTF-8: columns on a terminal, for the text profiles hold.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// At most `width` code points, the middle replaced by `…`: templates differ at both ends.
[[nodiscard]] std::string shorten_middle(std::string_view text, std::size_t width);

/// Breaks one line of text into lines of at most `width` code points. A longer word has a line of
/// its own. Each line begins with `indent` and ends with a line feed.
[[nodiscard]] std::string wrap_words(std::string_view text, std::string_view indent,
                                     std::size_t width);

/// Each text as shorten_middle gives it, but no two different ones come out alike. Where they
/// would, the part in which they differ is kept.
[[nodiscard]] std::vector<std::string> shorten_apart(const std::vector<std::string>& texts,
                                                     std::size_t width);

}  // namespace assay::trace
