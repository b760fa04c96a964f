#include "worker/python_runner.hpp"

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "eval/runner.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "wire/python_messages.hpp"
#include "worker/exchange.hpp"

namespace assay::worker {

PythonRunner::~PythonRunner() {
  process_->kill();
  undertaker_(std::move(process_));
}

eval::Attempt<PythonReply> PythonRunner::call(const PythonCommand& command,
                                              std::span<const int> descriptors,
                                              const eval::Bounds& bounds) {
  auto text = process_->call(wire::encode_command(command), descriptors, bounds);
  if (!text) return std::unexpected(std::move(text).error());
  return read_answer(*text, process_->printed());
}

eval::Attempt<PythonReply> read_answer(std::string_view text, const std::string& printed) {
  auto reply = wire::decode_python_reply(text);
  if (!reply) return tampered("the runner sent a frame that is no reply");
  auto* refused = std::get_if<Refused>(&*reply);
  if (refused == nullptr) return std::move(*reply);
  if (auto* crashed = std::get_if<Crashed>(&refused->verdict)) {
    crashed->output = printed + crashed->output;  // its traceback, where it has one
  }
  return std::unexpected(
      eval::Setback(eval::Fate{std::move(refused->verdict), std::move(refused->findings)}));
}

}  // namespace assay::worker
