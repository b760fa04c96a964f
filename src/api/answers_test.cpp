#include "api/answers.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/context.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "model/device_info.hpp"
#include "wire/decode_error.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

wire::Value body(const http::Response& response) {
  return wire::Value::parse(response.body).value();
}

const HostInfo kHost{.name = "pod", .ip = "10.0.0.1"};
const wire::InvalidFields kBadFields{
    {{.path = {"kernel", "io", "args", "0"}, .message = "m", .type = "missing"}}};
const wire::OutOfBounds kTooMany{
    .message = "too many", .details = R"({"num_trials":0})", .field = {{"num_trials"}, "m", "t"}};

TEST(Status, every_error_code_has_one) {
  EXPECT_EQ(status_of(ErrorCode::invalid_argument), 400);
  EXPECT_EQ(status_of(ErrorCode::not_found), 404);
  EXPECT_EQ(status_of(ErrorCode::conflict), 409);
  EXPECT_EQ(status_of(ErrorCode::resource_exhausted), 429);
  EXPECT_EQ(status_of(ErrorCode::unavailable), 503);
  EXPECT_EQ(status_of(ErrorCode::internal), 500);
}

TEST(CompatErrors, have_the_bodies_clients_know) {
  const auto fields = compat_decode_error(kBadFields, kHost);
  EXPECT_EQ(fields.status, 400);
  EXPECT_EQ(body(fields)["error"].text(), "Invalid request format");
  EXPECT_EQ(body(fields)["status"].text(), "client_error");
  EXPECT_EQ(body(fields)["validation_errors"].elements().at(0)["field"].text(),
            "kernel -> io -> args -> 0");
  const auto bounds = compat_decode_error(kTooMany, kHost);
  EXPECT_EQ(bounds.status, 400);
  EXPECT_EQ(body(bounds)["details"]["num_trials"].number(), 0);
  const auto not_json = compat_decode_error(wire::NotAnObject{"no"}, kHost);
  EXPECT_EQ(not_json.status, 422);
  EXPECT_FALSE(body(not_json)["detail"].is_null());
  EXPECT_EQ(fields.headers.find("Cache-Control"), "no-cache, no-store, must-revalidate");
}

TEST(CompatHeaders, tell_the_type_of_gpu_where_it_is_a_known_one) {
  HostInfo host = kHost;
  EXPECT_EQ(compat_server_error(host, 500, "m").headers.find("X-GPU-Type"), std::nullopt);
  host.gpu_type = "h100";
  EXPECT_EQ(compat_server_error(host, 500, "m").headers.find("X-GPU-Type"), "h100");
  EXPECT_EQ(compat_decode_error(kTooMany, host).headers.find("X-GPU-Type"), "h100");
}

TEST(Host, type_of_gpu_is_found_in_the_names_of_devices) {
  const auto type_of = [](std::vector<std::string> names) {
    std::vector<DeviceInfo> devices;
    for (std::string& name : names) devices.push_back({.name = std::move(name)});
    return gpu_type_of(devices);
  };
  EXPECT_EQ(type_of({"AMD EPYC", "NVIDIA H100 80GB HBM3"}), "h100");
  EXPECT_EQ(type_of({"NVIDIA A100-SXM4-40GB"}), "a100");
  EXPECT_EQ(type_of({"NVIDIA H200"}), "h200");
  EXPECT_EQ(type_of({"NVIDIA L4"}), "");
  EXPECT_EQ(type_of({}), "");
}

TEST(OurErrors, name_the_field_by_its_path) {
  const auto response = decode_error_answer(kBadFields);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(body(response)["error"]["fields"].elements().at(0)["path"].text(), "kernel.io.args[0]");
  EXPECT_EQ(body(decode_error_answer(kTooMany))["error"]["fields"].elements().at(0)["path"].text(),
            "num_trials");
  const auto limit = body(field_error_answer({{"limit"}, "is too much", "less_than_equal"}));
  EXPECT_EQ(limit["error"]["code"].text(), "invalid_argument");
  EXPECT_EQ(limit["error"]["message"].text(), "limit: is too much");
  EXPECT_EQ(limit["error"]["fields"].elements().at(0)["path"].text(), "limit");
}

TEST(ServerErrors, take_the_shape_of_the_api_they_belong_to) {
  EXPECT_EQ(body(shaped_error(404, "Not Found", "/x"))["detail"].text(), "Not Found");
  EXPECT_EQ(body(shaped_error(404, "Not Found", "/v1/x"))["error"]["code"].text(), "not_found");
  EXPECT_EQ(body(shaped_error(405, "Method Not Allowed", "/v1/jobs"))["error"]["code"].text(),
            "method_not_allowed");
}

}  // namespace
}  // namespace assay::api
