#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/admission.hpp"
#include "api/answers.hpp"
#include "api/callers.hpp"
#include "api/context.hpp"
#include "api/desk.hpp"
#include "api/job_query.hpp"
#include "api/job_view.hpp"
#include "api/routes.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/request.hpp"
#include "queue/placement.hpp"
#include "queue/watchers.hpp"
#include "store/job_store.hpp"
#include "wire/decode_error.hpp"
#include "wire/request.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

using wire::Value;

constexpr std::size_t kMaxKeyLength = 200;

/// What is asked for, or the field of the request that is wrong.
template <class T>
using Asked = std::expected<T, wire::FieldError>;

std::unexpected<wire::FieldError> wrong(std::string_view name, std::string_view message,
                                        std::string_view type) {
  return std::unexpected(wire::FieldError{
      .path = {std::string(name)}, .message = std::string(message), .type = std::string(type)});
}

Asked<std::optional<std::string>> idempotency_key(const http::Request& request) {
  const auto key = request.headers.find("Idempotency-Key");
  if (!key) return std::nullopt;
  if (key->empty() || key->size() > kMaxKeyLength) {
    return wrong("Idempotency-Key", "must have 1 to 200 characters", "string_length");
  }
  return std::string(*key);
}

http::Response refusal(const NotTaken& why) {
  if (why.error.code() == ErrorCode::invalid_argument && why.status == 0) {
    // All else was decoded before.
    return field_error_answer(
        {.path = {"device"}, .message = why.error.message(), .type = "value_error"});
  }
  http::Response response = error_answer(why.error);
  response.status = status_of(why);
  add_retry_after(response, why);
  return response;
}

http::Response submit(Context& context, http::Request request) {
  const auto decoded = wire::decode_request(RequestForm::job, request.body);
  if (!decoded) return decode_error_answer(decoded.error());
  auto key = idempotency_key(request);
  if (!key) return field_error_answer(std::move(key).error());
  const auto device = queue::place(*decoded, context.dispatcher.devices(), context.metrics_mistake);
  if (!device) return field_error_answer(device.error());
  store::NewJob job{.form = RequestForm::job,
                    .body = std::move(request.body),
                    .priority = decoded->priority,
                    .device = *device,
                    .idempotency_key = std::move(*key),
                    .name = display_name(*decoded),
                    .kernel_type = std::string(to_string(decoded->candidate.type))};
  const auto submitted = take_in(context, caller_of(context, request), request, std::move(job));
  if (!submitted) return refusal(submitted.error());
  http::Response response = http::Response::json(submitted->created ? 202 : 200,
                                                 Value(job_summary(submitted->job)).dump());
  response.headers.set("Location", "/v1/jobs/" + submitted->job.id.value);
  return response;
}

http::Response list(Context& context, const http::Request& request) {
  auto query = read_job_query(request);
  if (!query) return field_error_answer(query.error());
  query->filter.owner = only_of(caller_of(context, request));
  const auto page = context.store.list(query->filter, query->cursor, query->limit);
  if (!page) return error_answer(page.error());
  Value::Elements jobs;
  for (const Job& job : page->jobs) jobs.push_back(job_summary(job));
  Value::Members body = {{"jobs", std::move(jobs)}};
  if (page->next) body.emplace_back("next_cursor", std::to_string(page->next->before));
  return http::Response::json(200, Value(std::move(body)).dump());
}

http::Response show(Context& context, const http::Request& request) {
  const JobId id{request.params.at("id")};
  const auto job = context.store.get(id);
  if (!job) return error_answer(job.error());
  if (!may_see(caller_of(context, request), *job)) return error_answer(no_such_job(id));
  const auto events = context.store.events(id);
  if (!events) return error_answer(events.error());
  const JobViewOptions options{.with_samples = is_asked_for(request, "samples"),
                               .with_request = is_asked_for(request, "request")};
  return http::Response::json(200, job_view(*job, *events, options).dump());
}

http::Response artifact(Context& context, const http::Request& request) {
  const JobId id{request.params.at("id")};
  const auto seen = check_may_see(context, caller_of(context, request), id);
  if (!seen) return error_answer(seen.error());
  auto text = context.store.artifact(id, request.params.at("name"));
  if (!text) return error_answer(text.error());
  http::Response response = http::Response::text(200, *std::move(text));
  if (request.params.at("name").ends_with(".ncu-rep")) {
    response.headers.set("Content-Type", "application/octet-stream");
  }
  return response;
}

http::Response cancel(Context& context, const http::Request& request) {
  const JobId id{request.params.at("id")};
  const Caller caller = caller_of(context, request);
  const auto own = check_may_change(context, caller, id);
  if (!own) return error_answer(own.error());
  const auto state = context.dispatcher.cancel(id);
  if (!state) return error_answer(state.error());
  note_deed(context, caller, request, "cancel", id.value);
  const Value body = Value::Members{{"id", id.value}, {"state", to_string(*state)}};
  return http::Response::json(*state == JobState::cancelled ? 200 : 202, body.dump());
}

/// One client watching one job: the stream and the subscription that feeds it end together.
struct Watcher {
  explicit Watcher(http::EventStream opened) : stream(std::move(opened)) {}

  Mutex mutex;
  http::EventStream stream ASSAY_GUARDED_BY(mutex);
  bool ended ASSAY_GUARDED_BY(mutex) = false;
  queue::Subscription subscription ASSAY_GUARDED_BY(mutex);
  std::optional<std::stop_callback<std::function<void()>>> when_gone;

  void deliver(const std::vector<JobEvent>& events, bool last) {
    {
      const MutexLock lock(mutex);
      for (const JobEvent& event : events) {
        if (!stream.send(std::to_string(event.sequence), "state", event_view(event).dump())) {
          last = true;
          break;
        }
      }
    }
    if (last) end();
  }

  void end() {
    queue::Subscription finished;  // ended outside the lock
    const MutexLock lock(mutex);
    stream.close();
    ended = true;
    finished = std::move(subscription);
  }
};

Asked<std::int64_t> resume_point(const http::Request& request) {
  const auto header = request.headers.find("Last-Event-ID");
  const auto parameter = request.query_value("after");
  const std::string_view text = header ? *header : parameter.value_or("0");
  std::int64_t sequence = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sequence);
  if (error != std::errc{} || end != text.data() + text.size() || sequence < 0) {
    return wrong(header ? "Last-Event-ID" : "after", "must be the id of an event of the job",
                 "int_parsing");
  }
  return sequence;
}

void watch(Context& context, const http::Request& request, http::Responder responder) {
  const JobId id{request.params.at("id")};
  const auto after = resume_point(request);
  if (!after) return responder.send(field_error_answer(after.error()));
  const auto seen = check_may_see(context, caller_of(context, request), id);
  if (!seen) return responder.send(error_answer(seen.error()));
  const auto known = context.store.events(id);
  if (!known) return responder.send(error_answer(known.error()));
  // Who claims to have seen what has not happened yet shall not miss it when it does.
  const std::int64_t last = known->empty() ? 0 : known->back().sequence;
  // Owned by the callback; the callback by the subscription; the subscription by this again,
  // until the last event or a client that left breaks the ring.
  auto watcher = std::make_shared<Watcher>(responder.stream());
  http::Request who;  // its headers alone: the token may be revoked while the stream is open
  who.headers = request.headers;
  auto subscription = context.dispatcher.subscribe(
      id, std::min(*after, last),
      [watcher, &context, who](const std::vector<JobEvent>& events, bool ended) {
        if (is_stranger(caller_of(context, who))) return watcher->end();
        watcher->deliver(events, ended);
      });
  if (!subscription) return watcher->end();
  {
    const MutexLock lock(watcher->mutex);
    if (!watcher->ended) watcher->subscription = std::move(*subscription);
  }
  // Otherwise who comes and goes would leave something behind until the job's next event.
  watcher->when_gone.emplace(request.closed, [weak = std::weak_ptr(watcher)] {
    if (const auto gone = weak.lock()) gone->end();
  });
}

}  // namespace

void add_job_routes(http::Router& router, Context& context, Desk& desk) {
  using http::Method;
  const auto answer = [&context](auto make) {
    return [&context, make](http::Request&& request, http::Responder responder) {
      responder.send(make(context, std::move(request)));
    };
  };
  router.add(Method::post, "/v1/jobs", desk.at_desk(answer(submit)));
  router.add(Method::get, "/v1/jobs", answer(list));
  router.add(Method::get, "/v1/jobs/{id}", desk.at_desk(answer(show)));
  router.add(Method::del, "/v1/jobs/{id}", desk.at_desk(answer(cancel)));
  router.add(Method::get, "/v1/jobs/{id}/artifacts/{name}", desk.at_desk(answer(artifact)));
  router.add(Method::get, "/v1/jobs/{id}/events",
             [&context](const http::Request& request, http::Responder responder) {
               watch(context, request, std::move(responder));
             });
}

}  // namespace assay::api
