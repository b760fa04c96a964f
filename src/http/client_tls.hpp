#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/patience.hpp"

namespace assay::http {

/// The client's end of TLS. It trusts the certificates that the system trusts, or those in the file
/// that SSL_CERT_FILE names. A certificate must be for the host that was asked for.
class ClientTls {
 public:
  /// Shakes hands over a connected socket. Fails with `unavailable`, and says why, if the server's
  /// certificate is not trusted.
  [[nodiscard]] static Result<ClientTls> open(int fd, const std::string& host,
                                              const Patience& patience);
  ClientTls(ClientTls&&) noexcept;
  ClientTls& operator=(ClientTls&&) noexcept;
  ClientTls(const ClientTls&) = delete;
  ClientTls& operator=(const ClientTls&) = delete;
  ~ClientTls();

  [[nodiscard]] Result<void> write(int fd, std::string_view bytes, const Patience& patience);
  /// 0 when the server has closed its side.
  [[nodiscard]] Result<std::size_t> read(int fd, std::span<char> into, const Patience& patience);

 private:
  class Engine;
  explicit ClientTls(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace assay::http
