#include "http/own_site.hpp"

#include <string>

#include <gtest/gtest.h>

#include "http/message.hpp"

namespace assay::http {
namespace {

int status_of(const Request& request, const OwnSite& site = {}) {
  const auto refusal = refuse_foreign(request, site);
  return refusal ? refusal->status : 200;
}

int status_for_host(const std::string& host, const OwnSite& site = {}) {
  return status_of({.headers = {{"Host", host}}}, site);
}

int status_for_origin(const std::string& origin, const OwnSite& site = {}) {
  return status_of({.headers = {{"Host", "localhost:8000"}, {"Origin", origin}}}, site);
}

int status_for_post(const Headers& headers) {
  return status_of({.method = Method::post, .headers = headers});
}

TEST(OwnSite, addresses_and_localhost_are_ours_on_any_port) {
  for (const char* host : {"127.0.0.1:8000", "127.0.0.1", "10.1.2.3:80", "[::1]:8000", "[fe80::1]",
                           "localhost", "LocalHost:9000", "assay.localhost:8000"}) {
    EXPECT_EQ(status_for_host(host), 200) << host;
  }
  EXPECT_EQ(status_of({}), 200) << "HTTP/1.0 names no host";
}

TEST(OwnSite, name_of_another_site_is_refused) {
  for (const char* host : {"evil.example", "evil.example:8000", "127.0.0.1.evil.example",
                           "notlocalhost", "", "127.0.0.1@evil.example"}) {
    EXPECT_EQ(status_for_host(host), 403) << host;
  }
}

TEST(OwnSite, names_given_are_ours) {
  const OwnSite site{.hosts = {"assay.example"}, .origins = {}};
  EXPECT_EQ(status_for_host("Assay.example:8000", site), 200);
  EXPECT_EQ(status_for_host("other.example", site), 403);
  EXPECT_EQ(status_for_host("other.example", {.hosts = {"*"}, .origins = {}}), 200);
}

TEST(OwnSite, only_its_own_pages_and_those_listed_may_use_it) {
  EXPECT_EQ(status_for_origin("http://localhost:8000"), 200);
  EXPECT_EQ(status_for_origin("https://localhost:8000"), 200) << "a proxy may speak TLS for it";
  for (const char* origin : {"http://evil.example", "http://localhost:3000", "null",
                             "http://localhost:8000.evil.example", "localhost:8000"}) {
    EXPECT_EQ(status_for_origin(origin), 403) << origin;
  }
  const OwnSite site{.hosts = {}, .origins = {"http://localhost:3000"}};
  EXPECT_EQ(status_for_origin("http://localhost:3000", site), 200);
}

TEST(OwnSite, change_must_be_said_to_be_json) {
  const auto with = [](const std::string& type) {
    return status_for_post({{"Content-Length", "2"}, {"Content-Type", type}});
  };
  EXPECT_EQ(with("application/json"), 200);
  EXPECT_EQ(with("Application/JSON; charset=utf-8"), 200);
  EXPECT_EQ(with("text/plain"), 415);
  EXPECT_EQ(with("application/x-www-form-urlencoded"), 415);
  EXPECT_EQ(status_for_post({{"Content-Length", "2"}}), 415);
  EXPECT_EQ(status_for_post({{"Transfer-Encoding", "chunked"}}), 415);
}

TEST(OwnSite, change_without_a_body_needs_no_type_unless_a_browser_sends_it) {
  EXPECT_EQ(status_for_post({{"Content-Length", "0"}}), 200);
  EXPECT_EQ(status_for_post({}), 200);
  EXPECT_EQ(status_for_post({{"Sec-Fetch-Site", "cross-site"}}), 415);
  EXPECT_EQ(status_for_post({{"Host", "[::1]:80"}, {"Origin", "http://[::1]:80"}}), 415);
  EXPECT_EQ(status_of({.method = Method::get, .headers = {{"Sec-Fetch-Site", "none"}}}), 200);
}

TEST(OwnSite, refusal_says_which_option_lets_it_in) {
  const auto host = refuse_foreign({.headers = {{"Host", "assay.example"}}}, {});
  ASSERT_TRUE(host);
  EXPECT_NE(host->message.find("--allow-host assay.example"), std::string::npos);
  const auto origin =
      refuse_foreign({.headers = {{"Host", "localhost"}, {"Origin", "http://a.example"}}}, {});
  ASSERT_TRUE(origin);
  EXPECT_NE(origin->message.find("--allow-origin http://a.example"), std::string::npos);
}

}  // namespace
}  // namespace assay::http
