#include "wire/worker_messages.hpp"

#include <chrono>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "model/verdict.hpp"

namespace assay::wire {
namespace {

TEST(Task, reads_back_as_written) {
  const EvaluationTask task{.job = {"id"},
                            .form = RequestForm::compare,
                            .body = "{\"a\":\"\\u00e9\"}",
                            .reference = BuiltKernel{.module = "/r.so"},
                            .candidate = {.module = "/c.so",
                                          .entry = "f",
                                          .spills = RegisterSpills{.store_bytes = 4},
                                          .extensions = {"/e1", "/e2"},
                                          .cache_hit = true},
                            .budget = std::chrono::milliseconds(1500)};
  const auto order = decode_order(encode_order(task)).value();
  const auto& again = std::get<EvaluationTask>(order);
  EXPECT_EQ(again.job, task.job);
  EXPECT_EQ(again.form, task.form);
  EXPECT_EQ(again.body, task.body);
  EXPECT_EQ(again.reference->module, "/r.so");
  EXPECT_EQ(again.candidate.entry, "f");
  EXPECT_EQ(again.candidate.extensions, task.candidate.extensions);
  EXPECT_TRUE(again.candidate.cache_hit);
  EXPECT_EQ(again.candidate.spills.value().store_bytes, 4);
  EXPECT_FALSE(again.reference->spills);
  EXPECT_EQ(again.budget, task.budget);
}

TEST(StopTask, reads_back_as_written) {
  EXPECT_TRUE(std::holds_alternative<StopTask>(decode_order(encode_order(StopTask{})).value()));
}

TEST(WorkerEvent, every_kind_reads_back_as_written) {
  const Outcome outcome{.verdict = Accepted{}, .provenance = {.device = {"cpu"}}};
  EXPECT_TRUE(std::holds_alternative<TaskBegun>(decode_event(encode_event(TaskBegun{})).value()));
  EXPECT_EQ(std::get<JobStep>(decode_event(encode_event(JobStep::checked)).value()),
            JobStep::checked);
  EXPECT_EQ(name_of(std::get<Outcome>(decode_event(encode_event(outcome)).value()).verdict),
            "accepted");
  const auto error = decode_event(encode_event(Error(ErrorCode::conflict, "m"))).value();
  EXPECT_EQ(std::get<Error>(error).code(), ErrorCode::conflict);
}

TEST(WorkerEvent, extensions_needed_read_back_as_written) {
  const ExtensionsNeeded needed{
      .calls = {{.key = std::string(64, 'c'),
                 .name = "late",
                 .sources = {{.name = "cuda.cu", .text = "int f();", .is_cuda = true}},
                 .cflags = {"-O2"},
                 .cuda_cflags = {"-O3"}}},
      .for_reference = true};
  const auto event = decode_event(encode_event(needed)).value();
  const auto& again = std::get<ExtensionsNeeded>(event);
  EXPECT_TRUE(again.for_reference);
  const ExtensionCall& call = again.calls.at(0);
  EXPECT_EQ(call.key, needed.calls[0].key);
  EXPECT_EQ(call.name, "late");
  EXPECT_EQ(call.sources.at(0).text, "int f();");
  EXPECT_TRUE(call.sources.at(0).is_cuda);
  EXPECT_EQ(call.cflags, needed.calls[0].cflags);
  EXPECT_EQ(call.cuda_cflags, needed.calls[0].cuda_cflags);
}

TEST(WorkerMessages, damage_is_data_loss) {
  EXPECT_EQ(decode_order("{}").error().code(), ErrorCode::data_loss);
  EXPECT_EQ(decode_event("{\"step\":\"dance\"}").error().code(), ErrorCode::data_loss);
  EXPECT_EQ(decode_event("nonsense").error().code(), ErrorCode::data_loss);
}

}  // namespace
}  // namespace assay::wire
