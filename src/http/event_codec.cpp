#include "http/event_codec.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace assay::http {
namespace {

void append_field(std::string& to, std::string_view name, std::string_view value) {
  to += name;
  to += ": ";
  const auto start = static_cast<std::ptrdiff_t>(to.size());
  to += value;
  std::replace_if(
      to.begin() + start, to.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; },
      ' ');
  to += '\n';
}

}  // namespace

std::string encode_event(std::string_view id, std::string_view event, std::string_view data) {
  std::string encoded;
  if (!id.empty()) append_field(encoded, "id", id);
  if (!event.empty()) append_field(encoded, "event", event);
  while (true) {
    const std::size_t end = data.find('\n');
    std::string_view line = data.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    append_field(encoded, "data", line);
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + 1);
  }
  return encoded += '\n';
}

bool EventDecoder::take_line(std::string& line) {
  const std::size_t end = buffer_.find_first_of("\r\n");
  if (end == std::string::npos) return false;
  std::size_t next = end + 1;
  if (buffer_[end] == '\r') {
    if (next == buffer_.size()) return false;  // the '\n' of a pair may still come
    if (buffer_[next] == '\n') ++next;
  }
  line = buffer_.substr(0, end);
  buffer_.erase(0, next);
  return true;
}

void EventDecoder::take_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "id") {
    last_id_ = value;
  } else if (name == "event") {
    name_ = value;
  } else if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
}

std::optional<Event> EventDecoder::next() {
  std::string line;
  while (take_line(line)) {
    if (!line.empty()) {
      take_field(line);
      continue;
    }
    Event event{.id = last_id_, .name = std::exchange(name_, {}), .data = std::exchange(data_, {})};
    if (std::exchange(has_data_, false)) return event;
  }
  return std::nullopt;
}

}  // namespace assay::http
