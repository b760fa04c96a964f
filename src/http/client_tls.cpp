#include "http/client_tls.hpp"

#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "http/patience.hpp"
#include "http/tls_error.hpp"

namespace assay::http {
namespace {

struct Free {
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
  void operator()(SSL* connection) const { ::SSL_free(connection); }
};
using Context = std::unique_ptr<SSL_CTX, Free>;
using Handle = std::unique_ptr<SSL, Free>;

constexpr std::size_t kPiece = std::size_t{16} << 10U;

}  // namespace

/// Between two buffers in memory, so that bytes go through the same calls as without TLS.
class ClientTls::Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(const std::string& host) {
    auto engine = std::make_unique<Engine>();
    engine->context_.reset(::SSL_CTX_new(::TLS_client_method()));
    SSL_CTX* context = engine->context_.get();
    if (context == nullptr || ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        ::SSL_CTX_set_default_verify_paths(context) != 1) {
      return fail(ErrorCode::internal, "prepare TLS: " + last_tls_error());
    }
    ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    engine->connection_.reset(::SSL_new(context));
    engine->incoming_ = ::BIO_new(::BIO_s_mem());
    engine->outgoing_ = ::BIO_new(::BIO_s_mem());
    SSL* connection = engine->connection_.get();
    if (connection == nullptr || engine->incoming_ == nullptr || engine->outgoing_ == nullptr) {
      return fail(ErrorCode::internal, "prepare TLS: " + last_tls_error());
    }
    ::SSL_set_bio(connection, engine->incoming_, engine->outgoing_);  // which it then owns
    X509_VERIFY_PARAM* rules = ::SSL_get0_param(connection);
    const bool is_address = ::X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1;
    ::ERR_clear_error();
    // Not by SSL_set_tlsext_host_name, which is a macro with a cast of old style.
    std::string name = host;
    const auto tell_name = [&] {
      return ::SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                        name.data());
    };
    if (!is_address && (::SSL_set1_host(connection, host.c_str()) != 1 || tell_name() != 1)) {
      return fail(ErrorCode::invalid_argument, "a host that no certificate can name: " + host);
    }
    return engine;
  }

  Result<void> shake_hands(int fd, const Patience& patience) {
    auto done = step(fd, patience, [this] { return ::SSL_connect(connection_.get()); });
    if (done && *done > 0) return {};
    const long verified = ::SSL_get_verify_result(connection_.get());
    if (verified != X509_V_OK) {
      return fail(ErrorCode::unavailable,
                  fmt::format("its certificate is not trusted: {} (SSL_CERT_FILE names a file of "
                              "certificates to trust)",
                              ::X509_verify_cert_error_string(verified)));
    }
    if (!done) return std::unexpected(std::move(done).error());
    return fail(ErrorCode::unavailable, "it closed before TLS was agreed");
  }

  Result<void> write(int fd, std::string_view bytes, const Patience& patience) {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kPiece);
      ASSAY_TRY(const int count, step(fd, patience, [&] {
                  return ::SSL_write(connection_.get(), piece.data(),
                                     static_cast<int>(piece.size()));
                }));
      if (count <= 0) return fail(ErrorCode::unavailable, "send the request: it closed");
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }

  Result<std::size_t> read(int fd, std::span<char> into, const Patience& patience) {
    ASSAY_TRY(const int count, step(fd, patience, [&] {
                return ::SSL_read(connection_.get(), into.data(), static_cast<int>(into.size()));
              }));
    return static_cast<std::size_t>(count);
  }

 private:
  /// Repeats a call until it has what it needs. 0: the other side has closed.
  template <class Call>
  Result<int> step(int fd, const Patience& patience, const Call& call) {
    while (true) {
      ::ERR_clear_error();
      const int result = call();
      const int why = ::SSL_get_error(connection_.get(), result);
      std::string failure = why == SSL_ERROR_SSL ? last_tls_error() : std::string();
      if (auto sent = flush(fd, patience); !sent) return std::unexpected(std::move(sent).error());
      if (result > 0) return result;
      if (why == SSL_ERROR_ZERO_RETURN) return 0;
      if (why != SSL_ERROR_WANT_READ) {
        return fail(ErrorCode::unavailable, "TLS: " + std::move(failure));
      }
      std::array<char, kPiece> bytes{};
      ASSAY_TRY(const std::size_t count, receive_some(fd, bytes, patience));
      // Cut without a farewell. Who needs to know whether all has come counts, as HTTP does.
      if (count == 0) return 0;
      (void)::BIO_write(incoming_, bytes.data(), static_cast<int>(count));
    }
  }

  Result<void> flush(int fd, const Patience& patience) {
    std::array<char, kPiece> bytes{};
    while (true) {
      const int count = ::BIO_read(outgoing_, bytes.data(), static_cast<int>(bytes.size()));
      if (count <= 0) return {};
      auto sent = send_all(fd, {bytes.data(), static_cast<std::size_t>(count)}, patience);
      if (!sent) return sent;
    }
  }

  Context context_;
  Handle connection_;
  BIO* incoming_ = nullptr;  // owned by connection_
  BIO* outgoing_ = nullptr;
};

ClientTls::ClientTls(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
ClientTls::ClientTls(ClientTls&&) noexcept = default;
ClientTls& ClientTls::operator=(ClientTls&&) noexcept = default;
ClientTls::~ClientTls() = default;

Result<ClientTls> ClientTls::open(int fd, const std::string& host, const Patience& patience) {
  ASSAY_TRY(auto engine, Engine::create(host));
  if (auto agreed = engine->shake_hands(fd, patience); !agreed) {
    return std::unexpected(std::move(agreed).error().while_doing("speak TLS with " + host));
  }
  return ClientTls(std::move(engine));
}

Result<void> ClientTls::write(int fd, std::string_view bytes, const Patience& patience) {
  return engine_->write(fd, bytes, patience);
}

Result<std::size_t> ClientTls::read(int fd, std::span<char> into, const Patience& patience) {
  return engine_->read(fd, into, patience);
}

}  // namespace assay::http
