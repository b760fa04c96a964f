#include "http/responder.hpp"

#include <cassert>
#include <memory>
#include <string_view>
#include <utility>

#include "http/event_codec.hpp"
#include "http/message.hpp"

namespace assay::http {

EventStream& EventStream::operator=(EventStream&& other) noexcept {
  EventStream taken(std::move(other));
  std::swap(exchange_, taken.exchange_);
  return *this;  // what was held before ends as `taken` dies
}

bool EventStream::send(std::string_view id, std::string_view event, std::string_view data) {
  return exchange_ != nullptr && exchange_->push(encode_event(id, event, data));
}

void EventStream::close() {
  if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->close_stream();
}

Responder& Responder::operator=(Responder&& other) noexcept {
  Responder taken(std::move(other));
  std::swap(exchange_, taken.exchange_);
  return *this;  // what was held before ends as `taken` dies
}

Responder::~Responder() {
  if (exchange_ != nullptr) exchange_->abandon();
}

void Responder::send(Response response) {
  const auto exchange = std::exchange(exchange_, nullptr);
  assert(exchange != nullptr && "a request is answered once");
  if (exchange != nullptr) exchange->answer(std::move(response));
}

EventStream Responder::stream(Headers headers) {
  auto exchange = std::exchange(exchange_, nullptr);
  assert(exchange != nullptr && "a request is answered once");
  if (exchange != nullptr) exchange->open_stream(std::move(headers));
  return EventStream(std::move(exchange));
}

}  // namespace assay::http
