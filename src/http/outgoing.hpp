#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>

namespace assay::http {

/// The part of an answer that is still to be written: its head, then its body. The two are not
/// copied into one buffer.
class Outgoing {
 public:
  Outgoing() = default;
  Outgoing(std::string head, std::string body) : head_(std::move(head)), body_(std::move(body)) {}

  [[nodiscard]] bool done() const { return written_ == head_.size() + body_.size(); }
  void advance(std::size_t count) { written_ += count; }
  [[nodiscard]] std::array<boost::asio::const_buffer, 2> rest() const {
    const std::size_t of_head = std::min(written_, head_.size());
    return {boost::asio::buffer(head_) + of_head,
            boost::asio::buffer(body_) + (written_ - of_head)};
  }

 private:
  std::string head_;
  std::string body_;
  std::size_t written_ = 0;
};

}  // namespace assay::http
