#include "trace/events/kineto.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/kineto_event.hpp"

namespace assay::trace {
namespace {

std::string event(std::string_view fields) {
  return R"({"traceEvents":[{)" + std::string(fields) + "}]}";
}

TEST(Kineto, fills_the_tables) {
  const Trace trace = parse_kineto(demo_kineto()).value();
  EXPECT_EQ(trace.capture.format, SourceFormat::kineto);
  EXPECT_EQ(trace.capture.schema, "1");
  EXPECT_EQ(trace.capture.gpus.at(0).name, "NVIDIA A100");
  EXPECT_EQ(trace.capture.gpus.at(0).multiprocessors, 108U);
  ASSERT_EQ(trace.kernels.size(), 2U);
  EXPECT_EQ(trace.function_name(trace.kernels.function[0]), "void gemm<float>(float*)");
  EXPECT_EQ(trace.strings.view(trace.functions[0].short_name), "gemm");
  EXPECT_EQ(trace.shapes[trace.kernels.shape[0]].grid, (std::array<std::uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(trace.copies.kind.at(0), CopyKind::host_to_device);
  EXPECT_EQ(trace.copies.bytes.at(0), 4096U);
  EXPECT_EQ(trace.fills.size(), 1U);
  EXPECT_EQ(trace.calls.size(), 3U);
  EXPECT_EQ(trace.ranges.size(), 3U);
}

TEST(Kineto, reads_over_commas_that_a_stopped_writer_left) {
  const std::string text(demo_kineto());
  const std::size_t end = text.rfind(']');
  const Trace trace =
      parse_kineto(text.substr(0, end) + " ,\n" + text.substr(end, text.rfind('}') - end) + ",}")
          .value();
  const Trace whole = parse_kineto(text).value();
  EXPECT_EQ(trace.kernels.size(), whole.kernels.size());
  EXPECT_EQ(trace.ranges.size(), whole.ranges.size());
  EXPECT_EQ(parse_kineto(event(R"("ph":"X","cat":"cpu_op","name":"a,]","ts":1,"dur":2,)"))
                .value()
                .ranges.size(),
            1U);
  EXPECT_EQ(parse_kineto(text.substr(0, end - 1) + ",").error().code(), ErrorCode::data_loss);
}

TEST(Kineto, times_are_exact_nanoseconds_from_the_first_event) {
  const Trace trace = parse_kineto(demo_kineto()).value();
  EXPECT_EQ(trace.ranges.start[0], 0);
  EXPECT_EQ(trace.kernels.start[0], 30'125);
  EXPECT_EQ(trace.kernels.end[0], 130'500);
  EXPECT_EQ(trace.capture.start_epoch_ns, 1'711'964'646'000'000'000U + 1'000'000'000U);
}

TEST(Kineto, kernels_find_their_calls_and_what_has_none_is_counted) {
  const Trace trace = parse_kineto(demo_kineto()).value();
  EXPECT_EQ(trace.strings.view(trace.calls.name[trace.kernels.call[1]]), "cuLaunchKernel");
  EXPECT_EQ(trace.fills.call[0], kNone);
  EXPECT_EQ(trace.diagnostics.count("fills_without_api_row"), 1U);
  EXPECT_EQ(trace.diagnostics.count("gpu_annotations_left_out"), 1U);
}

TEST(Kineto, operators_are_the_frameworks_ranges_and_annotations_the_authors) {
  const Trace trace = parse_kineto(demo_kineto()).value();
  EXPECT_EQ(trace.strings.view(trace.ranges.name[0]), "ProfilerStep");
  EXPECT_EQ(trace.ranges.flags[0], 0);
  EXPECT_EQ(trace.strings.view(trace.ranges.domain[1]), "cpu_op");
  EXPECT_EQ(trace.ranges.flags[1], range_automatic);
}

TEST(Kineto, reads_an_array_without_an_object_around_it) {
  const auto trace = parse_kineto(
      R"([{"ph":"X","cat":"kernel","name":"k","ts":5,"dur":2,"args":{"device":1,"stream":3}}])");
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->kernels.size(), 1U);
  EXPECT_EQ(trace->queues[0].device, 1);
}

TEST(Kineto, reads_the_names_of_old_categories) {
  const auto trace =
      parse_kineto(event(R"("ph":"X","cat":"Kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2)"));
  EXPECT_EQ(trace.value().kernels.size(), 1U);
}

TEST(Kineto, annotations_of_old_traces_are_told_from_operators_by_their_names) {
  std::string events;
  for (const char* name : {"ProfilerStep#3", "forward", "Backward pass", "aten::mm", "add::Forward",
                           "AddmmBackward", "ReluBackward0", "Optimizer.step#SGD.step"}) {
    events += fmt::format(
        R"({}{{"ph":"X","cat":"Operator","name":"{}","pid":1,"tid":"7","ts":{},"dur":2}})",
        events.empty() ? "" : ",", name, events.size());
  }
  const Trace trace = parse_kineto("[" + events + "]").value();
  std::vector<std::string_view> authors;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if (trace.ranges.flags[row] == 0) {
      authors.push_back(trace.strings.view(trace.ranges.name[row]));
    }
  }
  EXPECT_EQ(authors, (std::vector<std::string_view>{"ProfilerStep", "forward", "Backward pass"}));
}

TEST(Kineto, every_text_of_an_event_goes_to_its_own_field) {
  const Trace trace =
      parse_kineto(
          event(R"("ph":"X","cat":"cpu_op","name":"add","pid":"1","tid":"7","ts":5,"dur":2)"))
          .value();
  ASSERT_EQ(trace.ranges.size(), 1U);
  EXPECT_EQ(trace.strings.view(trace.ranges.name[0]), "add");
  EXPECT_EQ(trace.threads.at(trace.ranges.thread[0]).tid, 7U);
}

TEST(Kineto, counters_attached_to_kernels_are_kept) {
  const Trace trace =
      parse_kineto(event(R"("ph":"X","cat":"cuda_profiler_range","name":"k","ts":1,"dur":1,)"
                         R"("args":{"smsp__inst_executed.sum":12.5})"))
          .value();
  ASSERT_EQ(trace.counters.size(), 1U);
  EXPECT_EQ(trace.strings.view(trace.counters[0].metric), "smsp__inst_executed.sum");
  EXPECT_EQ(trace.counters[0].value, 12.5);
}

TEST(Kineto, events_without_usable_times_are_counted) {
  for (const char* times : {R"("ts":5)", R"("ts":5,"dur":-1)", R"("ts":"soon","dur":1)",
                            R"("ts":1e30,"dur":1)", R"("ts":1,"dur":1e13)"}) {
    const Trace trace =
        parse_kineto(event(R"("ph":"X","cat":"kernel","name":"k",)" + std::string(times))).value();
    EXPECT_TRUE(trace.kernels.empty()) << times;
    EXPECT_EQ(trace.diagnostics.count("events_malformed"), 1U) << times;
  }
}

TEST(Kineto, times_may_be_texts) {
  const Trace trace =
      parse_kineto(
          event(R"("ph":"X","cat":"kernel","name":"k","ts":"1700000000000001.250","dur":"2.5")"))
          .value();
  ASSERT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(trace.kernels.duration(0), 2500);
}

TEST(Kineto, a_category_it_does_not_know_is_counted) {
  const auto trace = parse_kineto(event(R"("ph":"X","cat":"mystery","name":"k","ts":1,"dur":1)"));
  EXPECT_EQ(trace.value().diagnostics.count("events_of_unknown_category"), 1U);
}

TEST(Kineto, broken_json_is_data_loss_and_names_the_byte) {
  const std::string_view whole = demo_kineto();
  const auto trace = parse_kineto(whole.substr(0, whole.size() / 2));
  EXPECT_EQ(trace.error().code(), ErrorCode::data_loss);
  EXPECT_NE(trace.error().message().find("at byte"), std::string::npos);
}

TEST(Kineto, json_of_another_shape_is_refused) {
  for (const char* text : {"5", "\"x\"", "[]", "{}", "[[1]]", R"({"traceEvents":5})", "null",
                           R"({"foo":1})", R"([{"foo":1}])", R"({"traceEvents":[]})"}) {
    const auto trace = parse_kineto(text);
    ASSERT_FALSE(trace.has_value()) << text;
    EXPECT_EQ(trace.error().code(), ErrorCode::invalid_argument) << text;
    EXPECT_NE(trace.error().message().find("PyTorch"), std::string::npos) << text;
  }
}

class KinetoFile : public testing::Test {
 protected:
  TempDir folder_ = TempDir::create(std::filesystem::temp_directory_path(), "kineto").value();
};

TEST_F(KinetoFile, plain_and_compressed_read_alike) {
  const auto plain = folder_.path() / "trace.json";
  std::ofstream(plain) << demo_kineto();
  const auto packed = folder_.path() / "trace.json.gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzwrite(file, demo_kineto().data(), static_cast<unsigned>(demo_kineto().size()));
  gzclose(file);
  EXPECT_EQ(read_kineto(plain).value().kernels.start, read_kineto(packed).value().kernels.start);
}

TEST_F(KinetoFile, a_file_whose_compression_breaks_off_is_data_loss) {
  const auto path = folder_.path() / "trace.json.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, demo_kineto().data(), static_cast<unsigned>(demo_kineto().size()));
  gzclose(file);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_EQ(read_kineto(path).error().code(), ErrorCode::data_loss);
}

TEST_F(KinetoFile, an_absent_file_is_not_found) {
  EXPECT_EQ(read_kineto(folder_.path() / "none.json").error().code(), ErrorCode::not_found);
}

TEST(NanosecondsOf, keeps_every_digit_a_double_would_lose) {
  EXPECT_EQ(nanoseconds_of("4458676522690.655"), 4'458'676'522'690'655);
  EXPECT_EQ(nanoseconds_of("1695835542514261"), 1'695'835'542'514'261'000);
  EXPECT_EQ(nanoseconds_of("0.0015"), 2);
  EXPECT_EQ(nanoseconds_of("-1.5"), -1500);
  EXPECT_EQ(nanoseconds_of("1.5e3"), 1'500'000);
  EXPECT_EQ(nanoseconds_of("1e300"), std::nullopt);
  EXPECT_EQ(nanoseconds_of("99999999999999999999"), std::nullopt);
}

/// What one rank recorded: a call in a range, and the kernel that it launched. Ranks share ids.
std::vector<std::string> rank_events(const std::string& host, const std::string& gpu, int at) {
  const auto one = [&](std::string_view category, std::string_view name, const std::string& pid,
                       int start, std::string_view args) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":"{}","tid":1,"ts":{},"dur":10,"args":{{{}}}}})",
        category, name, pid, start, args);
  };
  return {one("user_annotation", "of " + host, host, at, ""),
          one("cuda_runtime", "cudaLaunchKernel", host, at, R"("correlation":7)"),
          one("kernel", "k", gpu, at + 20, R"("correlation":7,"device":0,"stream":7)")};
}

Trace merged(const std::vector<std::string>& events) {
  return parse_kineto(fmt::format(R"({{"traceEvents":[{}]}})", fmt::join(events, ","))).value();
}

void expect_ranks_apart(const Trace& trace, const std::string& first, const std::string& second) {
  ASSERT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.devices(), (std::vector<std::int64_t>{0, 1}));
  const Attribution placed = attribute(trace);
  for (std::size_t row = 0; row < 2; ++row) {
    const auto ranges = placed.same_thread.of_call(trace.kernels.call.at(row));
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(trace.strings.view(trace.ranges.name[ranges[0]]), row == 0 ? first : second);
  }
  EXPECT_EQ(trace.diagnostics.count("api_correlation_repeated"), 0U);
}

TEST(Kineto, ranks_of_a_merged_file_keep_their_kernels_apart) {
  auto events = rank_events("1000", "0", 100);
  for (auto& more : rank_events("2000", "0", 105)) events.push_back(std::move(more));
  expect_ranks_apart(merged(events), "of 1000", "of 2000");
}

TEST(Kineto, ranks_that_stand_among_each_other_are_told_by_the_labels_of_their_pids) {
  const auto first = rank_events("[TP01] 44", "[TP01] 0", 100);
  const auto second = rank_events("[TP00] 55", "[TP00] 0", 105);
  std::vector<std::string> events;
  for (std::size_t i = 0; i < first.size(); ++i) {
    events.push_back(second[i]);
    events.push_back(first[i]);
  }
  expect_ranks_apart(merged(events), "of [TP01] 44", "of [TP00] 55");
}

TEST(Kineto, pids_of_one_process_that_calls_cuda_are_not_ranks) {
  auto events = rank_events("1000", "0", 100);
  events.push_back(
      R"({"ph":"X","cat":"user_annotation","name":"r","pid":7,"tid":1,"ts":1,"dur":10})");
  EXPECT_EQ(merged(events).processes.size(), 1U);
}

}  // namespace
}  // namespace assay::trace
