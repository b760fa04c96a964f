#include "access/gate.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "access/token.hpp"
#include "access/token_file.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/os.hpp"

namespace assay::access {
namespace {

class GateTest : public testing::Test {
 protected:
  NewToken made(const std::string& name) {
    NewToken made = make_token(name, {Scope::submit}, {}).value();
    EXPECT_TRUE(file_.add(made.token));
    return made;
  }
  std::unique_ptr<Gate> open() {
    return Gate::open(file_, temp_.path() / "audit.log", clock_, log_).value();
  }

  ManualClock clock_;
  const Log log_{-1};
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-gate-").value();
  TokenFile file_{temp_.path() / "tokens"};
};

TEST_F(GateTest, knows_who_has_a_secret_and_nobody_else) {
  const NewToken token = made("ci");
  const auto gate = open();
  EXPECT_EQ(gate->find(token.secret), token.token);
  EXPECT_FALSE(gate->find("assay_wrong"));
  EXPECT_FALSE(gate->find(""));
  EXPECT_FALSE(gate->find(token.token.hash.hex())) << "the hash opens nothing";
}

TEST_F(GateTest, tokens_made_and_revoked_count_within_a_second) {
  const NewToken first = made("first");
  const auto gate = open();
  const NewToken second = made("second");
  EXPECT_FALSE(gate->find(second.secret));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(gate->find(second.secret));
  ASSERT_TRUE(file_.revoke("first"));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(gate->find(first.secret));
}

TEST_F(GateTest, change_within_one_tick_of_the_clock_of_files_is_seen) {
  const NewToken token = made("ci");
  const auto written = std::filesystem::last_write_time(file_.path());
  const auto gate = open();
  ASSERT_TRUE(file_.revoke("ci"));
  std::filesystem::last_write_time(file_.path(), written);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(gate->find(token.secret));
}

TEST_F(GateTest, strangers_cannot_fill_the_log) {
  const NewToken token = made("ci");
  const auto gate = open();
  for (int i = 0; i < 1000; ++i) gate->note(nullptr, "10.0.0.8:5", "refused", "GET /");
  gate->note(&token.token, "10.0.0.7:4", "submit", "job-1");
  std::string log = read_file(temp_.path() / "audit.log").value();
  EXPECT_EQ(std::ranges::count(log, '\n'), 61) << "each of the first 60, and what a token did";
  clock_.advance(std::chrono::minutes(1));
  gate->note(nullptr, "10.0.0.8:5", "refused", "GET /");
  log = read_file(temp_.path() / "audit.log").value();
  EXPECT_NE(log.find("940 more before this"), std::string::npos);
}

TEST_F(GateTest, file_that_is_lost_or_broken_lets_nobody_new_in) {
  const NewToken token = made("ci");
  const auto gate = open();
  std::filesystem::remove(file_.path());
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(gate->find(token.secret));
  EXPECT_FALSE(gate->find("anything"));
}

TEST_F(GateTest, does_not_open_without_its_file) {
  EXPECT_EQ(Gate::open(file_, temp_.path() / "audit.log", clock_, log_).error().code(),
            ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::access
