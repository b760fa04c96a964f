#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include <boost/asio/ssl/context.hpp>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "http/server.hpp"

namespace assay::http {

/// What a server shows under TLS, read again when its files change. Files that cannot be used
/// change nothing: the last good ones stay until better ones are there.
class Certificates {
 public:
  using Context = boost::asio::ssl::context;

  /// Fails with `invalid_argument` where the files cannot be used. `clock` and `log` outlive this.
  [[nodiscard]] static Result<std::unique_ptr<Certificates>> open(CertificateFiles files,
                                                                  const Clock& clock,
                                                                  const Log& log);
  /// For a new connection; the files are looked at once a second at most. From any thread.
  [[nodiscard]] std::shared_ptr<Context> current();

 private:
  /// When a file was changed, its size and its place on the disk.
  using Stamp = std::array<std::uint64_t, 4>;
  using Stamps = std::array<Stamp, 2>;

  Certificates(CertificateFiles files, const Clock& clock, const Log& log)
      : files_(std::move(files)), clock_(clock), log_(log) {}
  [[nodiscard]] Stamps look() const;
  void read_again() ASSAY_REQUIRES(mutex_);

  const CertificateFiles files_;
  const Clock& clock_;
  const Log& log_;
  Mutex mutex_;
  std::shared_ptr<Context> context_ ASSAY_GUARDED_BY(mutex_);  // shared with a connection's start
  Stamps stamps_ ASSAY_GUARDED_BY(mutex_){};                   // of what context_ was made from
  std::optional<Stamps> refused_ ASSAY_GUARDED_BY(mutex_);     // said once for each
  SteadyTime looked_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::http
