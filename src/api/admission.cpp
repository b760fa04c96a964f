#include "api/admission.hpp"

#include <algorithm>
#include <chrono>
#include <expected>
#include <string>
#include <utility>

#include "access/gate.hpp"
#include "access/quotas.hpp"
#include "access/token.hpp"
#include "api/answers.hpp"
#include "api/callers.hpp"
#include "api/context.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "http/message.hpp"
#include "store/job_store.hpp"

namespace assay::api {
namespace {

constexpr std::chrono::seconds kUntilThereIsRoom{30};
constexpr int kInsufficientStorage = 507;
constexpr int kUnauthorized = 401;

std::expected<store::Submission, NotTaken> submit(Context& context, const store::NewJob& job) {
  if (auto room = context.store.check_room(job.body.size()); !room) {
    return std::unexpected(NotTaken{.error = std::move(room).error(),
                                    .retry_after = kUntilThereIsRoom,
                                    .status = kInsufficientStorage});
  }
  auto submitted = context.dispatcher.submit(job);
  if (submitted) return *std::move(submitted);
  NotTaken why{.error = std::move(submitted).error()};
  if (why.error.code() == ErrorCode::resource_exhausted) {
    why.retry_after = context.dispatcher.retry_after();
  }
  return std::unexpected(std::move(why));
}

}  // namespace

std::expected<store::Submission, NotTaken> take_in(Context& context, const Caller& caller,
                                                   const http::Request& request,
                                                   store::NewJob job) {
  if (!caller) return submit(context, job);
  if (is_stranger(caller)) {
    return std::unexpected(
        NotTaken{.error = Error(ErrorCode::invalid_argument, std::string(kWantsToken)),
                 .status = kUnauthorized});
  }
  job.owner = caller->id;
  if (!caller->may(access::Scope::admin)) job.priority = std::min(job.priority, 0);
  // Counted and stored under one lock, or two at once would both find the last place free.
  const MutexLock lock(context.gate->admission);
  const auto unfinished = context.store.unfinished(caller->id);
  if (!unfinished) return std::unexpected(NotTaken{.error = unfinished.error()});
  if (auto full = context.gate->quotas().take(*caller, *unfinished)) {
    note_deed(context, caller, request, "refused", full->message);
    return std::unexpected(
        NotTaken{.error = Error(ErrorCode::resource_exhausted, std::move(full->message)),
                 .retry_after = full->retry_after});
  }
  auto submitted = submit(context, job);
  if (!submitted || !submitted->created) context.gate->quotas().give_back(*caller);
  if (submitted) note_deed(context, caller, request, "submit", submitted->job.id.value);
  return submitted;
}

int status_of(const NotTaken& not_taken) {
  return not_taken.status != 0 ? not_taken.status : status_of(not_taken.error.code());
}

void add_retry_after(http::Response& response, const NotTaken& not_taken) {
  if (not_taken.retry_after.count() == 0) return;
  response.headers.set("Retry-After", std::to_string(not_taken.retry_after.count()));
}

}  // namespace assay::api
