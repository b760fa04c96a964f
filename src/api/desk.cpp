#include "api/desk.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/log.hpp"
#include "base/mutex.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"

namespace assay::api {

Desk::Desk(const Log& log) : log_(log) {
  for (const bool takes_large : {false, true}) {
    threads_.emplace_back(
        [this, takes_large](const std::stop_token& stop) { work(stop, takes_large); });
  }
}

http::Handler Desk::at_desk(http::Handler handler) {
  return [this, shared = std::make_shared<const http::Handler>(std::move(handler))](
             http::Request request, http::Responder responder) {
    const bool is_large = request.body.size() > kLarge;
    const MutexLock lock(mutex_);
    (is_large ? large_ : small_)
        .push_back(
            {.request = std::move(request), .responder = std::move(responder), .handler = shared});
    changed_.notify_all();
  };
}

void Desk::work(const std::stop_token& stop, bool takes_large) {
  while (!stop.stop_requested()) {
    std::optional<Errand> errand;
    {
      const MutexLock lock(mutex_);
      const bool something = changed_.wait(mutex_, stop, [&] {
        mutex_.assert_held();
        return !small_.empty() || (takes_large && !large_.empty());
      });
      if (!something) return;
      Errands& from = takes_large && !large_.empty() ? large_ : small_;
      errand.emplace(std::move(from.front()));
      from.pop_front();
    }
    run(*std::move(errand));
  }
}

void Desk::run(Errand errand) const {
  const std::string what =
      fmt::format("{} {}", to_string(errand.request.method), errand.request.path);
  try {
    (*errand.handler)(std::move(errand.request), std::move(errand.responder));
  } catch (const std::exception& thrown) {
    // The Responder, dying as the exception passed, has answered 500.
    log_.error("api", "handler of {} threw: {}", what, thrown.what());
  }
}

}  // namespace assay::api
