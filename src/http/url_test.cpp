#include "http/url.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::http {
namespace {

TEST(UrlDecode, undoes_escapes_and_leaves_the_rest) {
  EXPECT_EQ(url_decode("a%20b%2Fc+d%c3%A9").value(), "a b/c+d\xc3\xa9");
}

TEST(UrlDecode, refuses_cut_escapes_wrong_digits_and_nul) {
  for (const std::string text : {"%", "a%2", "%zz", "%2g", "%00", "a%00b"}) {
    const auto decoded = url_decode(text);
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.error().code(), ErrorCode::invalid_argument);
  }
  EXPECT_FALSE(url_decode(std::string("a\0b", 3)));
}

TEST(UrlEncode, gives_back_what_decode_takes) {
  std::string every;
  for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
  EXPECT_EQ(url_decode(url_encode(every)).value(), every);
  EXPECT_EQ(url_encode("a/b c"), "a%2Fb%20c");
}

TEST(ParseTarget, reads_path_and_query) {
  const auto target = parse_target("/v1/jobs%2Fx?state=done&name=a+b%26c&flag&&=v#part");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->raw_path, "/v1/jobs%2Fx");
  EXPECT_EQ(target->path, "/v1/jobs/x");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"state", "done"}, {"name", "a b&c"}, {"flag", ""}, {"", "v"}};
  EXPECT_EQ(target->query, expected);
}

TEST(ParseTarget, reads_absolute_and_asterisk_forms) {
  EXPECT_EQ(parse_target("http://host:80/a?b=c")->path, "/a");
  EXPECT_EQ(parse_target("HTTP://host")->path, "/");
  EXPECT_EQ(parse_target("https://host/a")->path, "/a");
  EXPECT_EQ(parse_target("http://host?x=1")->query.size(), 1U);
  EXPECT_EQ(parse_target("*")->path, "*");
}

TEST(ParseTarget, refuses_what_is_no_path) {
  EXPECT_FALSE(parse_target("host:80"));
  EXPECT_FALSE(parse_target(""));
  EXPECT_FALSE(parse_target("/a%00"));
  EXPECT_FALSE(parse_target("/a?b=%zz"));
}

TEST(ParseBaseUrl, reads_host_port_and_prefix) {
  const auto url = parse_base_url("http://example.org:8080/api/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "example.org");
  EXPECT_EQ(url->port, "8080");
  EXPECT_EQ(url->prefix, "/api");
  EXPECT_EQ(parse_base_url("http://[::1]")->host, "::1");
  EXPECT_EQ(parse_base_url("http://[::1]:9")->port, "9");
  EXPECT_EQ(parse_base_url("http://a")->port, "80");
  EXPECT_FALSE(parse_base_url("http://a")->tls);
  EXPECT_EQ(parse_base_url("HTTPS://a")->port, "443");
  EXPECT_TRUE(parse_base_url("https://a:1")->tls);
}

TEST(ParseBaseUrl, refuses_other_schemes_missing_hosts_and_bad_ports) {
  for (const char* url : {"ftp://a", "a:80", "https://", "http://", "http://:80", "http://a:x",
                          "http://a:70000", "http://a:"}) {
    EXPECT_FALSE(parse_base_url(url)) << url;
  }
}

}  // namespace
}  // namespace assay::http
