#include "http/router.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/url.hpp"

namespace assay::http {
namespace {

struct Recorder final : Exchange {
  void answer(Response response) override { answered = std::move(response); }
  void abandon() override { answered.status = 0; }
  void open_stream(Headers) override {}
  bool push(std::string_view) override { return false; }
  void close_stream() override {}
  Response answered;
};

Response ask(const Router& router, Method method, std::string_view target) {
  Request request;
  request.method = method;
  request.raw_path = target;
  request.path = url_decode(target).value_or("");
  const auto recorder = std::make_shared<Recorder>();
  router.route(std::move(request), Responder(recorder));
  return recorder->answered;
}

Handler says(std::string name) {
  return [name = std::move(name)](const Request& request, Responder responder) {
    std::string text = name;
    for (const auto& [key, value] : request.params) text += " " + key + "=" + value;
    responder.send(Response::text(200, text));
  };
}

TEST(Router, finds_the_handler_by_method_and_path) {
  Router router;
  router.add(Method::get, "/", says("root"));
  router.add(Method::get, "/a", says("get"));
  router.add(Method::post, "/a", says("post"));
  EXPECT_EQ(ask(router, Method::get, "/").body, "root");
  EXPECT_EQ(ask(router, Method::get, "/a").body, "get");
  EXPECT_EQ(ask(router, Method::post, "/a").body, "post");
}

TEST(Router, asks_the_guard_again_before_a_handler_runs) {
  Router router;
  router.add(Method::get, "/a", says("a"));
  bool revoked = false;
  router.guard([&](const Request&, std::string_view) -> std::optional<Response> {
    return revoked ? std::optional(Response::text(401, "no")) : std::nullopt;
  });
  EXPECT_EQ(ask(router, Method::get, "/a").status, 200);
  revoked = true;
  EXPECT_EQ(ask(router, Method::get, "/a").status, 401);
}

TEST(Router, names_take_one_non_empty_decoded_segment) {
  Router router;
  router.add(Method::get, "/jobs/{id}/events/{n}", says("events"));
  EXPECT_EQ(ask(router, Method::get, "/jobs/a%2Fb%20c/events/7").body, "events id=a/b c n=7");
  EXPECT_EQ(ask(router, Method::get, "/jobs//events/7").status, 404);
  EXPECT_EQ(ask(router, Method::get, "/jobs/a/b/events/7").status, 404);
  EXPECT_EQ(ask(router, Method::get, "/jobs/a/events/7/").status, 404);
}

TEST(Router, prefers_a_literal_to_a_name_whichever_was_added_first) {
  Router router;
  router.add(Method::get, "/jobs/{id}", says("named"));
  router.add(Method::get, "/jobs/stats", says("literal"));
  EXPECT_EQ(ask(router, Method::get, "/jobs/stats").body, "literal");
  EXPECT_EQ(ask(router, Method::get, "/jobs/x").body, "named id=x");
}

TEST(Router, head_is_served_by_get_unless_it_has_a_handler) {
  Router router;
  router.add(Method::get, "/a", says("get"));
  router.add(Method::get, "/b", says("get"));
  router.add(Method::head, "/b", says("head"));
  EXPECT_EQ(ask(router, Method::head, "/a").body, "get");
  EXPECT_EQ(ask(router, Method::head, "/b").body, "head");
}

TEST(Router, answers_405_with_the_methods_that_would_do) {
  Router router;
  router.add(Method::get, "/a", says("get"));
  router.add(Method::del, "/{any}", says("delete"));
  const Response response = ask(router, Method::post, "/a");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.find("allow"), "DELETE, GET, HEAD");
  EXPECT_EQ(response.body, R"({"error":"Method Not Allowed"})");
}

TEST(Router, answers_404_to_unknown_paths) {
  EXPECT_EQ(ask(Router(), Method::get, "/a").body, R"({"error":"Not Found"})");
}

TEST(Router, errors_take_the_shape_they_are_given) {
  Router router;
  router.shape_errors([](int status, std::string_view message, std::string_view path) {
    return Response::json(status, std::string(path) + " " + std::string(message));
  });
  EXPECT_EQ(ask(router, Method::get, "/a%20b").body, "/a b Not Found");
}

TEST(Headers, are_found_whatever_their_case_and_replaced_by_set) {
  Headers headers = {{"Content-Type", "a"}, {"X", "1"}, {"x", "2"}};
  EXPECT_EQ(headers.find("content-type"), "a");
  EXPECT_EQ(headers.find("X"), "1");
  headers.set("X", "3");
  EXPECT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers.find("x"), "3");
  EXPECT_FALSE(headers.find("absent"));
}

TEST(JsonQuoted, escapes_what_json_and_utf8_require) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\xff"), R"("a\"b\\c\u000a\u00ff")");
}

TEST(Method, name_reads_back_and_an_unknown_one_is_other) {
  for (const Method method : {Method::get, Method::head, Method::post, Method::put, Method::patch,
                              Method::del, Method::options}) {
    EXPECT_EQ(parse_method(to_string(method)), method);
  }
  EXPECT_EQ(parse_method("get"), Method::other);
  EXPECT_EQ(reason_phrase(799), "Unknown");
}

}  // namespace
}  // namespace assay::http
