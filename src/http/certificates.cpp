#include "http/certificates.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/core.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "http/server.hpp"
#include "http/tls_error.hpp"

namespace assay::http {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::chrono::seconds kBetweenLooks{1};

Result<std::shared_ptr<ssl::context>> make_context(const CertificateFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  ::SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  ::SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  ::SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // of the many connections that are idle
  ::SSL_CTX_set_num_tickets(native, 0);  // nobody comes back so often that it would pay
  boost::system::error_code error;
  // An encrypted key would have somebody asked at the terminal.
  context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return ""; },
                                 error);
  const auto bad = [&](const char* what, const std::filesystem::path& file) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} {}: {}", what, file.string(), error.message()));
  };
  context->use_certificate_chain_file(files.certificate.string(), error);
  if (error) return bad("read the certificate", files.certificate);
  context->use_private_key_file(files.key.string(), ssl::context::pem, error);
  if (error) return bad("read the key", files.key);
  if (::SSL_CTX_check_private_key(native) != 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is not the key of {}: {}", files.key.string(),
                            files.certificate.string(), last_tls_error()));
  }
  return context;
}

}  // namespace

Result<std::unique_ptr<Certificates>> Certificates::open(CertificateFiles files, const Clock& clock,
                                                         const Log& log) {
  std::unique_ptr<Certificates> made(new Certificates(std::move(files), clock, log));
  const MutexLock lock(made->mutex_);
  made->stamps_ = made->look();
  made->looked_ = clock.now();
  ASSAY_TRY(made->context_, make_context(made->files_));
  return made;
}

std::shared_ptr<Certificates::Context> Certificates::current() {
  const MutexLock lock(mutex_);
  if (clock_.now() - looked_ >= kBetweenLooks) read_again();
  return context_;
}

Certificates::Stamps Certificates::look() const {
  Stamps stamps{};
  std::size_t i = 0;
  for (const auto* file : {&files_.certificate, &files_.key}) {
    struct stat info{};
    if (::stat(file->c_str(), &info) == 0) {
      stamps.at(i) = {static_cast<std::uint64_t>(info.st_mtim.tv_sec),
                      static_cast<std::uint64_t>(info.st_mtim.tv_nsec),
                      static_cast<std::uint64_t>(info.st_size), info.st_ino};
    }
    ++i;
  }
  return stamps;
}

void Certificates::read_again() {
  looked_ = clock_.now();
  const Stamps now = look();  // before they are read: a change meanwhile is seen next time
  if (now == stamps_ || now == refused_) return;
  auto context = make_context(files_);
  if (!context) {
    refused_ = now;
    log_.warning("http", "the certificate stays as it was: {}", context.error().message());
    return;
  }
  context_ = *std::move(context);
  stamps_ = now;
  refused_.reset();
  log_.info("http", "the certificate {} was read again", files_.certificate.string());
}

}  // namespace assay::http
