#include "http/parser.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "http/message.hpp"

namespace assay::http {
namespace {

constexpr ParseLimits kSmall = {.max_header = 200, .max_body = 10};

/// Feeds `bytes` in pieces of `size`; returns what was left over.
template <class Parser>
std::string feed(Parser& parser, std::string_view bytes, std::size_t size = 4096) {
  std::string waiting;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    waiting += bytes.substr(at, size);
    waiting.erase(0, parser.feed(waiting));
  }
  return waiting;
}

Refusal refusal_of(std::string_view bytes) {
  RequestParser parser(kSmall);
  feed(parser, bytes);
  EXPECT_EQ(parser.state(), ParseState::refused) << bytes;
  return parser.state() == ParseState::refused ? parser.refusal() : Refusal{};
}

std::string with_fields(std::string_view fields) {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n\r\n";
}

TEST(RequestParser, reads_a_request_whatever_the_pieces) {
  const std::string bytes =
      "\r\nPOST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nX-One:  1 \r\nContent-Length: 4\r\n\r\nbodyREST";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    RequestParser parser(kSmall);
    EXPECT_EQ(feed(parser, bytes, size), "REST");
    ASSERT_EQ(parser.state(), ParseState::done);
    EXPECT_TRUE(parser.keep_alive());
    const Request request = parser.take();
    EXPECT_EQ(request.method, Method::post);
    EXPECT_EQ(request.path, "/a b");
    EXPECT_EQ(request.query_value("c"), "d");
    EXPECT_EQ(request.headers.find("x-one"), "1");
    EXPECT_EQ(request.body, "body");
  }
}

TEST(RequestParser, undoes_chunks_and_keeps_trailers_out_of_the_fields) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "3;ext=1\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Admin: yes\r\n\r\nNEXT";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    RequestParser parser(kSmall);
    EXPECT_EQ(feed(parser, bytes, size), "NEXT");
    ASSERT_EQ(parser.state(), ParseState::done);
    EXPECT_EQ(parser.request().body, "abcdefg");
    EXPECT_FALSE(parser.request().headers.find("X-Admin"));
  }
}

TEST(RequestParser, refuses_a_body_past_the_limit_before_it_comes) {
  EXPECT_EQ(refusal_of(with_fields("Content-Length: 11")).status, 413);
  EXPECT_EQ(refusal_of(with_fields("Transfer-Encoding: chunked") + "6\r\nabcdef\r\n6\r\n").status,
            413);
}

TEST(RequestParser, refuses_a_head_past_the_limit_however_it_is_cut_into_fields) {
  EXPECT_EQ(refusal_of(with_fields("X: " + std::string(200, 'x'))).status, 431);
  EXPECT_EQ(refusal_of("GET /" + std::string(300, 'a')).status, 431);
  EXPECT_EQ(refusal_of(std::string(300, '\r') + "\n").status, 400);
  std::string empty_lines;
  for (int i = 0; i < 101; ++i) empty_lines += "\r\n";
  EXPECT_EQ(refusal_of(empty_lines).status, 431);
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 60; ++i) many += "a: b\r\n";
  RequestParser parser(kSmall);
  feed(parser, many, 1);
  ASSERT_EQ(parser.state(), ParseState::refused);
  EXPECT_EQ(parser.refusal().status, 431);
}

TEST(RequestParser, takes_a_head_of_exactly_the_limit) {
  std::string head = with_fields("X: ");
  head.insert(head.size() - 4, kSmall.max_header - head.size(), 'x');
  RequestParser parser(kSmall);
  feed(parser, head);
  EXPECT_EQ(parser.state(), ParseState::done);
}

TEST(RequestParser, refuses_chunk_lines_and_trailers_past_the_limit) {
  const std::string head = with_fields("Transfer-Encoding: chunked");
  EXPECT_EQ(refusal_of(head + "1;" + std::string(300, 'x')).status, 431);
  EXPECT_EQ(refusal_of(head + "0\r\nX: " + std::string(300, 'x')).status, 431);
}

TEST(RequestParser, refuses_framing_that_others_could_read_differently) {
  EXPECT_EQ(refusal_of(with_fields("Content-Length: 1\r\nContent-Length: 1")).status, 400);
  EXPECT_EQ(refusal_of(with_fields("Content-Length: 1\r\nContent-Length: 2")).status, 400);
  EXPECT_EQ(refusal_of(with_fields("Content-Length: 1, 1")).status, 400);
  EXPECT_EQ(refusal_of(with_fields("Content-Length: +1")).status, 400);
  EXPECT_EQ(refusal_of(with_fields("Content-Length: 99999999999999999999")).status, 400);
  EXPECT_EQ(refusal_of(with_fields("Content-Length: 1\r\nTransfer-Encoding: chunked")).status, 400);
  EXPECT_EQ(refusal_of(with_fields("Transfer-Encoding: chunked\r\nContent-Length: 1")).status, 400);
  EXPECT_EQ(
      refusal_of(with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")).status,
      400);
  EXPECT_EQ(refusal_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").status, 400);
}

TEST(RequestParser, refuses_transfer_codings_it_does_not_have) {
  EXPECT_EQ(refusal_of(with_fields("Transfer-Encoding: gzip")).status, 501);
  EXPECT_EQ(refusal_of(with_fields("Transfer-Encoding: gzip, chunked")).status, 501);
  EXPECT_EQ(refusal_of(with_fields("Transfer-Encoding: \x0b"
                                   "chunked"))
                .status,
            400);
}

TEST(RequestParser, refuses_malformed_requests) {
  for (const std::string bytes :
       {"GET\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n",
        "GET /%zz HTTP/1.1\r\n", "GET /%00 HTTP/1.1\r\n", "GET a HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "\x16\x03\x01\x02", "{}"}) {
    EXPECT_EQ(refusal_of(bytes).status, 400) << bytes;
  }
  EXPECT_EQ(refusal_of(with_fields("Transfer-Encoding: chunked") + "x\r\n").status, 400);
  EXPECT_EQ(refusal_of(with_fields("Transfer-Encoding: chunked") + "1\r\nab\r\n0\r\n").status, 400);
  EXPECT_EQ(refusal_of(with_fields("Expect: tea")).status, 417);
}

TEST(RequestParser, knows_when_the_connection_may_stay) {
  const auto stays = [](std::string_view bytes) {
    RequestParser parser(kSmall);
    feed(parser, bytes);
    EXPECT_EQ(parser.state(), ParseState::done) << bytes;
    return parser.keep_alive();
  };
  EXPECT_TRUE(stays("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_FALSE(stays("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(stays("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(stays("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestParser, hears_an_expectation_but_not_from_http_1_0) {
  RequestParser parser(kSmall);
  feed(parser, with_fields("Expect: 100-continue\r\nContent-Length: 1"));
  EXPECT_EQ(parser.state(), ParseState::body);
  EXPECT_TRUE(parser.expects_continue());
  RequestParser old(kSmall);
  feed(old, "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  EXPECT_FALSE(old.expects_continue());
}

TEST(ResponseParser, reads_lengths_chunks_and_bodies_that_end_with_the_connection) {
  for (const std::string bytes :
       {"HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 201 Created\r\n\r\nabc"}) {
    ResponseParser parser(kSmall, false);
    feed(parser, bytes, 1);
    parser.feed_end();
    ASSERT_EQ(parser.state(), ParseState::done) << bytes;
    EXPECT_EQ(parser.response().status, 201);
    EXPECT_EQ(parser.response().body, "abc");
  }
}

TEST(ResponseParser, expects_no_body_after_head) {
  ResponseParser parser(kSmall, true);
  feed(parser, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(parser.state(), ParseState::done);
}

TEST(ResponseParser, refuses_nonsense_and_cut_answers) {
  for (const std::string bytes : {"", "ICY 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-",
                                  "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"}) {
    ResponseParser parser(kSmall, false);
    feed(parser, bytes);
    parser.feed_end();
    EXPECT_EQ(parser.state(), ParseState::refused) << bytes;
  }
}

}  // namespace
}  // namespace assay::http
