#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::http {

/// `del` because DELETE is spelled like a keyword; `other` is any method not listed.
enum class Method : std::uint8_t { get, head, post, put, patch, del, options, other };

/// As sent: "GET", "DELETE".
[[nodiscard]] std::string_view to_string(Method method);
[[nodiscard]] Method parse_method(std::string_view name);

/// Fields in the order they were added. Names compare without regard to case.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  void add(std::string name, std::string value);
  /// Replaces every field of that name.
  void set(std::string name, std::string value);
  /// The first field of that name. The view lives as long as the field does.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

struct Request {
  Method method = Method::get;
  /// Percent-decoded text for logs and answers. It is not a file name: it may hold "..".
  std::string path;
  /// The path as sent. Routes match this one, so that an encoded '/' stays inside a segment.
  std::string raw_path;
  std::vector<std::pair<std::string, std::string>> query;
  Headers headers;
  std::string body;
  std::map<std::string, std::string> params;  // decoded, by the {name} of the route
  std::string peer;                           // "127.0.0.1:51324"
  /// While this or a copy of it lives, the body counts among ServerStats::buffered.
  std::shared_ptr<void> counted;
  /// Requested when the client has gone or the server is stopping. A client that only closed
  /// its sending side counts as gone here, but is still sent an answer if one comes.
  std::stop_token closed;

  /// The first value of a query parameter.
  [[nodiscard]] std::optional<std::string_view> query_value(std::string_view name) const;
};

/// Content-Length, Transfer-Encoding, Connection and Date are the server's to write; values set
/// for them here are not sent.
struct Response {
  int status = 200;
  Headers headers;
  std::string body;

  [[nodiscard]] static Response json(int status, std::string body);
  [[nodiscard]] static Response text(int status, std::string body);
  [[nodiscard]] static Response html(int status, std::string body);
};

/// "Not Found" for 404; "Unknown" for a status without a registered phrase.
[[nodiscard]] std::string_view reason_phrase(int status);

/// The text as a JSON string, quotes included. It is here because this module writes error bodies
/// of its own, and may not use the JSON library.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace assay::http
