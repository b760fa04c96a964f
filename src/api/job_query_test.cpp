#include "api/job_query.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "http/message.hpp"
#include "model/job.hpp"
#include "wire/decode_error.hpp"

namespace assay::api {
namespace {

http::Request with(std::vector<std::pair<std::string, std::string>> query) {
  http::Request request;
  request.query = std::move(query);
  return request;
}

TEST(JobQuery, reads_every_filter) {
  const auto query = read_job_query(with({{"state", "queued"},
                                          {"state", "done"},
                                          {"verdict", "accepted"},
                                          {"created_after", "1970-01-01T00:00:01Z"},
                                          {"created_before", "2.5"},
                                          {"limit", "7"},
                                          {"cursor", "42"}}))
                         .value();
  EXPECT_EQ(query.filter.states, (std::vector{JobState::queued, JobState::done}));
  EXPECT_EQ(query.filter.verdicts, (std::vector<std::string>{"accepted"}));
  EXPECT_EQ(query.filter.created_after, WallTime(std::chrono::seconds(1)));
  EXPECT_EQ(query.filter.created_before, WallTime(std::chrono::milliseconds(2500)));
  EXPECT_EQ(query.limit, 7U);
  EXPECT_EQ(query.cursor->before, 42);
}

TEST(JobQuery, wrong_value_is_refused_by_the_name_of_its_parameter) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"state", "dancing"},
                                                        {"verdict", "fine"},
                                                        {"created_after", "yesterday"},
                                                        {"limit", "0"},
                                                        {"limit", "501"},
                                                        {"cursor", "x"},
                                                        {"colour", "red"}}) {
    const auto query = read_job_query(with({{name, value}}));
    ASSERT_FALSE(query) << name;
    EXPECT_EQ(wire::dotted_path(query.error()), name);
    EXPECT_FALSE(query.error().message.empty());
    EXPECT_FALSE(query.error().type.empty());
  }
}

TEST(Time, is_read_with_fraction_and_must_be_utc) {
  EXPECT_EQ(parse_time("1970-01-01T00:00:01.250Z").value(),
            WallTime(std::chrono::milliseconds(1250)));
  EXPECT_FALSE(parse_time("1970-01-01T00:00:01"));
  EXPECT_FALSE(parse_time("1970-01-01T00:00:01+02:00"));
}

}  // namespace
}  // namespace assay::api
