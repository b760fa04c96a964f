#include <chrono>
#include <cstddef>
#include <expected>
#include <limits>
#include <string>
#include <utility>

#include "api/admission.hpp"
#include "api/answers.hpp"
#include "api/callers.hpp"
#include "api/compat_result.hpp"
#include "api/context.hpp"
#include "api/desk.hpp"
#include "api/routes.hpp"
#include "api/waiting_room.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"
#include "model/ids.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"
#include "queue/placement.hpp"
#include "store/job_store.hpp"
#include "wire/decode_error.hpp"
#include "wire/request.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

constexpr std::chrono::seconds kCleanupAge{300};

void submit_and_wait(Context& context, WaitingRoom& waiting, RequestForm form,
                     http::Request request, http::Responder responder) {
  const auto decoded = wire::decode_request(form, request.body);
  if (!decoded) return responder.send(compat_decode_error(decoded.error(), context.host));
  const auto device = queue::place(*decoded, context.dispatcher.devices(), context.metrics_mistake);
  if (!device) {
    return responder.send(compat_decode_error(wire::InvalidFields{{device.error()}}, context.host));
  }
  store::NewJob job{.form = form,
                    .body = std::move(request.body),
                    .device = *device,
                    .name = display_name(*decoded),
                    .kernel_type = std::string(to_string(decoded->candidate.type))};
  const auto submitted = take_in(context, caller_of(context, request), request, std::move(job));
  if (!submitted) {
    const Error& error = submitted.error().error;
    http::Response response =
        compat_server_error(context.host, status_of(submitted.error()), error.message());
    add_retry_after(response, submitted.error());
    return responder.send(std::move(response));
  }
  waiting.wait(submitted->job.id, std::move(responder));
}

void show_job(Context& context, const http::Request& request, http::Responder responder) {
  const std::string& id = request.params.at("id");
  auto job = context.store.get(JobId{id});
  if (job && !may_see(caller_of(context, request), *job)) {
    job = std::unexpected(no_such_job(JobId{id}));
  }
  if (job) return responder.send(compat_job(*job, context.host));
  const bool unknown = job.error().code() == ErrorCode::not_found;
  responder.send(http::Response::json(
      status_of(job.error().code()),
      wire::Value(wire::Value::Members{
                      {"error", unknown ? "Job " + id + " not found" : job.error().message()},
                      {"status", "error"}})
          .dump()));
}

void clean_up(Context& context, const http::Request& request, http::Responder responder) {
  const auto swept = context.store.sweep(kCleanupAge, std::numeric_limits<std::size_t>::max());
  if (!swept) {
    return responder.send(compat_server_error(context.host, 500, swept.error().message()));
  }
  note_deed(context, caller_of(context, request), request, "clean up", std::to_string(*swept));
  responder.send(http::Response::json(
      200, wire::Value(wire::Value::Members{{"status", "cleanup_completed"}, {"removed", *swept}})
               .dump()));
}

}  // namespace

void add_compat_routes(http::Router& router, Context& context, WaitingRoom& waiting, Desk& desk) {
  const auto blocking = [&](RequestForm form) {
    return desk.at_desk(
        [&context, &waiting, form](http::Request request, http::Responder responder) {
          submit_and_wait(context, waiting, form, std::move(request), std::move(responder));
        });
  };
  router.add(http::Method::post, "/", blocking(RequestForm::compare));
  router.add(http::Method::post, "/compare", blocking(RequestForm::compare));
  router.add(http::Method::post, "/evaluate", blocking(RequestForm::evaluate));
  router.add(http::Method::get, "/job/{id}",
             desk.at_desk([&context](const http::Request& request, http::Responder responder) {
               show_job(context, request, std::move(responder));
             }));
  router.add(http::Method::post, "/admin/cleanup-jobs",
             desk.at_desk([&context](const http::Request& request, http::Responder responder) {
               clean_up(context, request, std::move(responder));
             }));
}

}  // namespace assay::api
