#include <cstddef>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "http/certificates.hpp"
#include "http/session.hpp"

namespace assay::http {

Shared::Shared(ServerOptions wanted, Router routes, const Log& sink,
               std::unique_ptr<Certificates> shown)
    : options(std::move(wanted)),
      router(std::move(routes)),
      log(sink),
      certificates(std::move(shown)) {}

Shared::~Shared() = default;

void SessionSet::add(std::shared_ptr<Connection> session) {
  const MutexLock lock(mutex_);
  const Connection* key = session.get();
  sessions_.emplace(key, std::move(session));
}

void SessionSet::remove(const Connection* session) {
  const MutexLock lock(mutex_);
  sessions_.erase(session);
  if (sessions_.empty()) emptied_.notify_all();
}

std::size_t SessionSet::size() const {
  const MutexLock lock(mutex_);
  return sessions_.size();
}

void SessionSet::drain_all() {
  const MutexLock lock(mutex_);
  for (const auto& [key, session] : sessions_) session->queue_drain();
}

void SessionSet::close_all() {
  const MutexLock lock(mutex_);
  for (const auto& [key, session] : sessions_) session->queue_close();
}

bool SessionSet::wait_until_empty(Deadline deadline) {
  const MutexLock lock(mutex_);
  return emptied_.wait_for(mutex_, deadline.remaining(), [this] {
    mutex_.assert_held();
    return sessions_.empty();
  });
}

}  // namespace assay::http
