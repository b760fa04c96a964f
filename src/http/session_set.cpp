#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
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

void SessionSet::add(std::shared_ptr<Connection> session, std::string network) {
  const MutexLock lock(mutex_);
  const Connection* key = session.get();
  Entry& entry =
      sessions_.emplace(key, Entry{.session = std::move(session), .network = std::move(network)})
          .first->second;
  rest(entry);
}

void SessionSet::remove(const Connection* session) {
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  work(found->second);
  if (found->second.leaves) --leaving_;
  sessions_.erase(found);
  if (sessions_.empty()) emptied_.notify_all();
}

void SessionSet::rest(const Connection* session) {
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) rest(found->second);
}

void SessionSet::work(const Connection* session) {
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) work(found->second);
}

void SessionSet::rest(Entry& entry) {
  work(entry);
  Resting& others = resting_[entry.network];
  entry.resting = others.insert(others.end(), entry.session.get());
}

void SessionSet::work(Entry& entry) {
  if (!entry.resting) return;
  const auto others = resting_.find(entry.network);
  others->second.erase(*std::exchange(entry.resting, std::nullopt));
  if (others->second.empty()) resting_.erase(others);
}

bool SessionSet::make_room() {
  const MutexLock lock(mutex_);
  const auto most = std::ranges::max_element(
      resting_, {}, [](const auto& network) { return network.second.size(); });
  if (most == resting_.end()) return false;
  Entry& entry = sessions_.at(most->second.front());
  work(entry);
  entry.session->queue_yield();
  if (!std::exchange(entry.leaves, true)) ++leaving_;
  return true;
}

void SessionSet::stay(const Connection* session) {
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(session);
  if (found != sessions_.end() && std::exchange(found->second.leaves, false)) --leaving_;
}

std::size_t SessionSet::size() const {
  const MutexLock lock(mutex_);
  return sessions_.size() - leaving_;
}

void SessionSet::drain_all() {
  const MutexLock lock(mutex_);
  for (const auto& [key, entry] : sessions_) entry.session->queue_drain();
}

void SessionSet::close_all() {
  const MutexLock lock(mutex_);
  for (const auto& [key, entry] : sessions_) entry.session->queue_close();
}

bool SessionSet::wait_until_empty(Deadline deadline) {
  const MutexLock lock(mutex_);
  return emptied_.wait_for(mutex_, deadline.remaining(), [this] {
    mutex_.assert_held();
    return sessions_.empty();
  });
}

}  // namespace assay::http
