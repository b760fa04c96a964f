#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "http/certificates.hpp"
#include "http/client.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/server.hpp"
#include "http/test_peer.hpp"

namespace assay::http {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

struct Free {
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { ::X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { ::X509_EXTENSION_free(extension); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
template <class Type>
using Owned = std::unique_ptr<Type, Free>;

void add_extension(X509* certificate, int kind, const std::string& value) {
  const Owned<X509_EXTENSION> extension(
      ::X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
  ASSERT_NE(extension, nullptr);
  ASSERT_EQ(::X509_add_ext(certificate, extension.get(), -1), 1);
}

/// Writes a key and a certificate that it signs itself, valid for `names` ("IP:127.0.0.1").
void make_certificate(const CertificateFiles& files, const std::string& names, long serial) {
  const Owned<EVP_PKEY> key(::EVP_EC_gen("P-256"));
  const Owned<X509> certificate(::X509_new());
  ASSERT_NE(key, nullptr);
  ::X509_set_version(certificate.get(), 2);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate.get()), serial);
  ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -3600);
  ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), 3600);
  ::X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = ::X509_get_subject_name(certificate.get());
  const std::string text = "test " + std::to_string(serial);
  ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
  ::X509_set_issuer_name(certificate.get(), name);
  add_extension(certificate.get(), NID_subject_alt_name, names);
  ASSERT_GT(::X509_sign(certificate.get(), key.get(), ::EVP_sha256()), 0);
  const Owned<std::FILE> to(std::fopen(files.certificate.c_str(), "we"));
  ASSERT_EQ(::PEM_write_X509(to.get(), certificate.get()), 1);
  const Owned<std::FILE> key_to(std::fopen(files.key.c_str(), "we"));
  ASSERT_EQ(::PEM_write_PrivateKey(key_to.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr),
            1);
}

class Tls : public ServerTest {
 protected:
  Tls() {
    make_certificate(files(), "IP:127.0.0.1", 1);
    trust(files().certificate);
    options.tls = files();
    router.add(Method::get, "/echo", echo);
    router.add(Method::post, "/echo", echo);
    router.add(Method::get, "/events", [](const Request&, Responder responder) {
      EventStream stream = responder.stream();
      stream.send("1", "said", "hello");
    });
  }
  ~Tls() override { ::unsetenv("SSL_CERT_FILE"); }  // NOLINT(concurrency-mt-unsafe)

  static void trust(const fs::path& file) {
    ::setenv("SSL_CERT_FILE", file.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  [[nodiscard]] CertificateFiles files() const {
    return {.certificate = folder_.path() / "certificate.pem", .key = folder_.path() / "key.pem"};
  }
  [[nodiscard]] std::string secure_url() const {
    return "https://127.0.0.1:" + std::to_string(server->port());
  }
  [[nodiscard]] Result<Response> ask() const {
    return Client(secure_url()).send(Method::get, "/echo", {}, {}, patient());
  }

 private:
  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "tls-").value();
};

TEST_F(Tls, carries_requests_large_bodies_and_streams) {
  start();
  Client client(secure_url());
  EXPECT_EQ(client.send(Method::get, "/echo", {}, {}, patient()).value().body, "GET /echo ");
  const std::string large(std::size_t{5} << 20U, 'x');
  const auto answer = client.send(Method::post, "/echo", {}, large, patient());
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, "POST /echo " + large);
  std::string heard;
  const auto done = client.stream_events(
      "/events", {},
      [&](std::string_view, std::string_view, std::string_view data) {
        heard += data;
        return true;
      },
      patient());
  EXPECT_TRUE(done) << done.error().message();
  EXPECT_EQ(heard, "hello");
}

TEST_F(Tls, is_not_spoken_with_a_certificate_that_nobody_vouches_for) {
  start();
  trust("/dev/null");
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(answer.error().message(), HasSubstr("its certificate is not trusted"));
}

TEST_F(Tls, is_not_spoken_with_the_certificate_of_another_host) {
  make_certificate(files(), "DNS:elsewhere.example", 2);
  start();
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(), HasSubstr("IP address mismatch"));
}

TEST_F(Tls, leaves_those_who_speak_plainly_without_an_answer) {
  start();
  EXPECT_THAT(answer_to("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              testing::Not(HasSubstr("GET /echo")));
  EXPECT_TRUE(ask());
}

TEST_F(Tls, ends_a_connection_that_never_shakes_hands) {
  options.header_timeout = 100ms;
  start();
  Peer silent = peer();
  EXPECT_EQ(silent.read_all(), "");
  Peer half = peer();
  half.send(std::string_view("\x16\x03\x01\x02\x00\x01", 6));  // how a client begins
  EXPECT_EQ(half.read_all(), "");
}

TEST_F(Tls, reads_new_files_without_a_restart_and_keeps_the_old_over_bad_ones) {
  ManualClock clock;
  const auto shown = Certificates::open(files(), clock, logged.log()).value();
  const auto first = shown->current();
  const CertificateFiles second{.certificate = files().certificate.string() + ".new",
                                .key = files().key.string() + ".new"};
  make_certificate(second, "IP:127.0.0.1", 2);
  fs::rename(second.certificate, files().certificate);
  EXPECT_EQ(shown->current(), first) << "looked at the files twice within a second";
  clock.advance(1s);
  EXPECT_EQ(shown->current(), first) << "half of a change: certificate and key differ";
  EXPECT_THAT(logged.text(), HasSubstr("the certificate stays as it was"));
  clock.advance(1s);
  EXPECT_EQ(shown->current(), first);
  EXPECT_EQ(logged.text(), "") << "said again";
  fs::rename(second.key, files().key);
  clock.advance(1s);
  EXPECT_NE(shown->current(), first);
  EXPECT_THAT(logged.text(), HasSubstr("was read again"));
}

TEST_F(Tls, does_not_start_without_a_certificate_and_its_key) {
  const auto why = [&] { return Server::start(options, Router(), logged.log()).error().message(); };
  make_certificate({.certificate = files().certificate, .key = files().key.string() + "2"},
                   "IP:127.0.0.1", 3);
  EXPECT_THAT(why(), HasSubstr("key"));
  fs::remove(files().key);
  EXPECT_THAT(why(), HasSubstr("read the key"));
  fs::remove(files().certificate);
  EXPECT_THAT(why(), HasSubstr("read the certificate"));
}

}  // namespace
}  // namespace assay::http
