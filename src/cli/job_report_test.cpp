#include "cli/job_report.hpp"

#include <string>

#include <gtest/gtest.h>

#include "cli/terminal.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

TEST(HumanTime, takes_the_unit_that_reads_best) {
  EXPECT_EQ(human_time(12), "12 ns");
  EXPECT_EQ(human_time(1234.5), "1.23 µs");
  EXPECT_EQ(human_time(2.5e6), "2.5 ms");
  EXPECT_EQ(human_time(3e9), "3 s");
}

TEST(JobReport, shows_verdict_reason_and_times) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"wrong_answer",
    "phases":[{"state":"building","duration_ms":12},{"state":"checking","duration_ms":68452},
              {"state":"done"}],
    "result":{"reason":"out[0] is 1, should be 2","provenance":{"device":"cpu","device_name":"X"},
      "candidate_timing":{"sample_count":5,"statistics_ns":{"median":1000,"mean":1100,"min":900,
        "percentile_99":2000,"median_ci95":[950,1050]}}}})")
                       .value();
  const std::string text = describe_job(job);
  EXPECT_NE(text.find("verdict    wrong_answer"), std::string::npos) << text;
  EXPECT_NE(text.find("out[0] is 1, should be 2"), std::string::npos);
  EXPECT_NE(text.find("950 ns .. 1.05 µs"), std::string::npos) << text;
  EXPECT_NE(text.find("phases     building 12 ms, checking 68.5 s, done\n"), std::string::npos)
      << text;
}

TEST(JobReport, what_a_kernel_says_commands_no_terminal) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"crashed",
    "name":"n\u001b]0;title\u0007","result":{"reason":"line 1\nline 2 \u001b[2J\u009b1m",
      "findings":[{"kind":"race","message":"\u001b[8m"}],
      "provenance":{"device":"cpu","device_name":"X"}}})")
                       .value();
  const std::string text = describe_job(job, Painter(true));
  EXPECT_NE(text.find("name       n?]0;title?"), std::string::npos) << text;
  EXPECT_NE(text.find("reason     line 1\nline 2 ?[2J?1m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("verdict    \033[31mcrashed\033[0m\n"), std::string::npos)
      << "the report's own colours";
  const auto page = wire::Value::parse(R"({"jobs":[{"id":"12345678","state":"queued",
    "created":"2026-01-31T12:00:00.000Z","name":"a\nb\u001b[1A","kernel_type":"cuda"}]})")
                        .value();
  EXPECT_NE(job_table(page).find("  a b?[1A "), std::string::npos) << job_table(page);
}

TEST(JobReport, says_how_much_of_the_tolerance_a_difference_is) {
  const auto told = [](const std::string& check) {
    return describe_job(wire::Value::parse(R"({"id":"j","state":"done","verdict":"accepted",
      "result":{"provenance":{"device":"cpu","device_name":"X"},"check":)" +
                                           check + "}}")
                            .value());
  };
  EXPECT_NE(told(R"({"rounds_passed":3,"rounds_total":3,"max_difference":4,
                     "tolerance":{"used":0.0123}})")
                .find("3 of 3 rounds, largest difference 4 (1.2 % of what is allowed)\n"),
            std::string::npos);
  EXPECT_NE(told(R"({"rounds_passed":0,"rounds_total":3,"max_difference":4.08,
                     "tolerance":{"used":4012.3}})")
                .find("largest difference 4.08 (4000 times what is allowed)\n"),
            std::string::npos);
  EXPECT_NE(told(R"({"rounds_passed":0,"rounds_total":3,"max_difference":4.08,
                     "tolerance":{"used":1e30}})")
                .find("(more than a million times what is allowed)\n"),
            std::string::npos);
  EXPECT_NE(told(R"({"rounds_passed":3,"rounds_total":3,"max_difference":0,
                     "tolerance":{"used":0}})")
                .find("3 of 3 rounds, largest difference 0\n"),
            std::string::npos);
}

TEST(JobReport, shows_what_the_result_warns_of) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"accepted",
    "result":{"provenance":{"device":"cpu","device_name":"X"},
      "warnings":[{"code":"weak_check","message":"The check of 'y' is weak: more",
                   "passes":["zeros","lower_precision"]},
                  {"code":"overflows","message":"It overflows"},
                  {"code":"weak_check","message":"The check of 'y' is weak: more",
                   "passes":["zeros","previous_answer"]}]}})")
                       .value();
  const std::string text = describe_job(job);
  EXPECT_NE(text.find("verdict    accepted\nwarning    the check of 'y' is weak: zeros, lower "
                      "precision, the answer to other inputs would pass too. Give smaller --atol "
                      "and --rtol, or larger inputs\nwarning    It overflows\ndevice"),
            std::string::npos)
      << text;
}

TEST(JobReport, says_unknown_where_too_few_runs_give_no_interval) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"accepted",
    "result":{"provenance":{"device":"cpu","device_name":"X"},
      "candidate_timing":{"sample_count":1,"statistics_ns":{"median":1000,"mean":1000,"min":1000,
        "percentile_99":1000}},"speed":{"speedup":1.5,"verdict":"undecided"}}})")
                       .value();
  const std::string text = describe_job(job);
  EXPECT_NE(text.find("     1   unknown"), std::string::npos) << text;
  EXPECT_NE(text.find("speedup    1.500x (unknown): undecided"), std::string::npos) << text;
}

TEST(JobReport, shows_what_a_call_takes_and_how_far_that_is_believed) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"accepted",
    "result":{"provenance":{"device":"cuda:0","device_name":"X"},
      "reference_timing":{"sample_count":1,"statistics_ns":{"median":1},
        "device_time":{"ns":5000},"kernel_time":{"busy_ns":3700},"host_time":{"ns":31000},
        "host_included":false,"trust":"measured_outside","batch_count":10,"unused_batches":2},
      "candidate_timing":{"sample_count":1,"statistics_ns":{"median":1},
        "device_time":{"ns":7000},"host_included":true,"trust":"claimed",
        "trust_reason":"the call waits inside","batch_count":10,"unused_batches":0},
      "speed":{"speedup":0.7,"interval":[0.69,0.71],"confidence":0.99,"verdict":"slower"}}})")
                       .value();
  const std::string text = describe_job(job);
  EXPECT_NE(text.find("reference        5 µs     3.7 µs      31 µs   measured_outside"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("candidate        7 µs    unknown    unknown   claimed"), std::string::npos)
      << text;
  EXPECT_NE(text.find("reference  2 of 10 batches not used"), std::string::npos) << text;
  EXPECT_NE(text.find("candidate  the call itself waits for the device"), std::string::npos);
  EXPECT_NE(text.find("time is claimed: the call waits inside"), std::string::npos);
  EXPECT_NE(text.find("speedup    0.700x (0.690 .. 0.710, 99 %): slower"), std::string::npos)
      << text;
}

TEST(JobReport, times_of_which_no_parts_are_known_are_told_once) {
  const std::string timing =
      R"({"batch_count":1,"device_time":{"ns":7000},"host_time":{"ns":7000},"trust":"claimed",
          "trust_reason":"the runner says so"})";
  const auto job = wire::Value::parse(R"({"id":"x","state":"done","verdict":"accepted","result":{
      "reference_timing":)" + timing + R"(,"candidate_timing":)" +
                                      timing + "}}");
  const std::string text = describe_job(job.value(), Painter(false));
  EXPECT_EQ(text.find("one call"), std::string::npos) << text;
  EXPECT_NE(text.find("both       time is claimed: the runner says so"), std::string::npos) << text;
}

TEST(JobReport, shows_what_a_kernel_takes_of_a_gpu) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"accepted",
    "result":{"provenance":{"device":"cuda:0","device_name":"X"},
      "candidate_resources":{"registers_per_thread":32,"local_bytes_per_thread":576,
        "spills":{"store_bytes":568,"load_bytes":704},"static_shared_bytes":4096,
        "dynamic_shared_bytes":1024,"blocks_per_multiprocessor":3,"occupancy":0.75},
      "reference_resources":{"registers_per_thread":16,"local_bytes_per_thread":0,
        "static_shared_bytes":0,"dynamic_shared_bytes":0,"blocks_per_multiprocessor":8,
        "occupancy":1}}})")
                       .value();
  const std::string text = describe_job(job);
  EXPECT_NE(text.find("568 / 704   4096 + 1024         3        75 %"), std::string::npos) << text;
  EXPECT_NE(text.find("unknown         0 + 0         8       100 %"), std::string::npos) << text;
}

TEST(JobReport, says_where_artifacts_are_or_why_not) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"accepted",
    "result":{"provenance":{"device":"cuda:0","device_name":"X"},"artifacts":[
      {"name":"candidate.ptx","bytes":12},{"name":"candidate.sass","absent":"no tool"}]}})")
                       .value();
  const std::string text = describe_job(job);
  EXPECT_NE(text.find("12 bytes: /v1/jobs/j/artifacts/candidate.ptx"), std::string::npos) << text;
  EXPECT_NE(text.find("no candidate.sass: no tool"), std::string::npos) << text;
}

TEST(JobReport, of_a_failed_run_repeats_nothing_and_invents_no_difference) {
  const auto job = wire::Value::parse(R"({"id":"j","state":"done","verdict":"crashed",
    "result":{"reason":"out_of_bounds: index 8 of y; thread 0 of block 1, line 4",
      "sanitizers":{"state":"unavailable","reason":"compute-sanitizer is not here"},
      "next_step":"run it again with --sanitize memory",
      "findings":[{"kind":"out_of_bounds","message":"index 8 of y"},
                  {"kind":"race","message":"two threads"}],
      "check":{"rounds_passed":0,"rounds_total":3,"max_difference":0},
      "provenance":{"device":"cpu","device_name":"X"}}})")
                       .value();
  const std::string text = describe_job(job);
  EXPECT_EQ(text.find("finding    out_of_bounds"), std::string::npos) << text;
  EXPECT_NE(text.find("finding    race: two threads"), std::string::npos) << text;
  EXPECT_NE(text.find("checked    0 of 3 rounds\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("largest difference"), std::string::npos) << text;
  EXPECT_NE(text.find("next step  run it again with --sanitize memory"), std::string::npos);
  EXPECT_NE(text.find("sanitizers unavailable: compute-sanitizer is not here"), std::string::npos);
}

TEST(JobReport, says_why_a_speed_was_not_judged) {
  const auto told =
      [](const std::string& device) {
        return describe_job(wire::Value::parse(R"({"id":"j","state":"done","verdict":"accepted",
      "result":{"provenance":{"device":")" + device +
                                               R"(","device_name":"X"},
        "candidate_timing":{"sample_count":1,"statistics_ns":{"median":1000,"mean":1000,"min":1000,
          "percentile_99":1000}},"speed":{"speedup":1.5,"verdict":"not_judged"}}})")
                                .value());
      };
  EXPECT_NE(told("cpu").find("not judged, times of the cpu device"), std::string::npos);
  const std::string gpu = told("cuda:0");
  EXPECT_NE(gpu.find("not judged, no clock outside the kernels could be used"), std::string::npos);
  EXPECT_EQ(gpu.find("cpu"), std::string::npos) << gpu;
}

TEST(JobTable, has_short_ids_names_types_verdicts_and_speedups) {
  const auto page = wire::Value::parse(R"({"jobs":[
    {"id":"0123456789ab","created":"2026-01-02T03:04:05.678Z","state":"done","verdict":"accepted",
     "name":"fast.cu","kernel_type":"cuda","speedup":1.256},
    {"id":"ba9876543210","created":"2026-01-02T03:04:05.678Z","state":"queued"}]})")
                        .value();
  const std::string text = job_table(page);
  EXPECT_NE(text.find("01234567  2026-01-02 03:04:05  fast.cu"), std::string::npos) << text;
  EXPECT_NE(text.find("1.26x"), std::string::npos) << text;
  EXPECT_NE(text.find("queued"), std::string::npos) << text;
  EXPECT_NE(job_table(page, Painter(true)).find("\033[32maccepted"), std::string::npos);
}

TEST(JobReport, of_a_failed_job_is_its_error) {
  const auto job =
      wire::Value::parse(R"({"id":"j","state":"failed","error":{"message":"the worker died"}})")
          .value();
  EXPECT_NE(describe_job(job).find("the worker died"), std::string::npos);
}

}  // namespace
}  // namespace assay::cli
