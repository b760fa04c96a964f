#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "http/client_tls.hpp"
#include "http/patience.hpp"
#include "http/url.hpp"

namespace assay::http {

/// The client's end of a connection, closed until opened. Blocks, but never past its Patience.
class ClientConnection {
 public:
  ClientConnection() = default;
  [[nodiscard]] static Result<ClientConnection> open(const BaseUrl& url, const Patience& patience);

  [[nodiscard]] Result<void> write(std::string_view bytes, const Patience& patience);
  /// 0 when the server has closed its side.
  [[nodiscard]] Result<std::size_t> read(std::span<char> into, const Patience& patience);
  /// Whether the server closed, or said something unasked for, while nothing was going on.
  [[nodiscard]] bool is_stale() const;
  [[nodiscard]] bool is_open() const { return static_cast<bool>(fd_); }

 private:
  explicit ClientConnection(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::optional<ClientTls> tls_;  // absent: in the clear
};

}  // namespace assay::http
