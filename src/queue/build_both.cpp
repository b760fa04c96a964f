#include "queue/build_both.hpp"

#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"

namespace assay::queue {
namespace {

using Built = Result<compile::BuildOutcome>;

bool has_kernel(const Built& built) {
  return built && std::holds_alternative<BuiltKernel>(*built);
}

}  // namespace

Verdict reference_verdict(const Verdict& verdict) {
  if (std::holds_alternative<TimedOut>(verdict)) return verdict;
  return as_reference_failure(verdict);
}

Result<std::variant<BuiltPair, Verdict>> build_both(compile::Builder& builder,
                                                    const Request& request, DeviceKind device,
                                                    const Deadline& deadline,
                                                    const std::stop_token& stop) {
  std::stop_source candidate_stop;
  const std::stop_callback forward(stop, [&] { candidate_stop.request_stop(); });
  std::optional<Built> reference;
  std::jthread reference_build;
  if (request.reference) {
    reference_build = std::jthread([&] {
      reference.emplace(builder.build(*request.reference, device, deadline, stop));
      if (!has_kernel(*reference)) candidate_stop.request_stop();  // nothing can come of it
    });
  }
  Built candidate = builder.build(request.candidate, device, deadline, candidate_stop.get_token());
  if (reference_build.joinable()) reference_build.join();

  BuiltPair pair;
  if (reference) {
    ASSAY_TRY(compile::BuildOutcome outcome, *std::move(reference));
    if (const auto* verdict = std::get_if<Verdict>(&outcome)) return reference_verdict(*verdict);
    pair.reference = std::get<BuiltKernel>(std::move(outcome));
  }
  ASSAY_TRY(compile::BuildOutcome outcome, std::move(candidate));
  if (const auto* verdict = std::get_if<Verdict>(&outcome)) return *verdict;
  pair.candidate = std::get<BuiltKernel>(std::move(outcome));
  return pair;
}

}  // namespace assay::queue
