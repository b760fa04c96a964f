#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::http {

/// One server-sent event as it is sent. Line breaks in `data` are kept; in `id` and `event`,
/// where they would forge a field, they become spaces.
[[nodiscard]] std::string encode_event(std::string_view id, std::string_view event,
                                       std::string_view data);

struct Event {
  std::string id;  // the last id seen, as the standard says, even if this event had none
  std::string name;
  std::string data;
};

/// Takes the bytes of a stream in any pieces and gives its events. Comments vanish here.
class EventDecoder {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  [[nodiscard]] std::optional<Event> next();

 private:
  bool take_line(std::string& line);
  void take_field(std::string_view line);

  std::string buffer_;
  std::string last_id_;
  std::string name_;
  std::string data_;
  bool has_data_ = false;
};

}  // namespace assay::http
