#include "cli/config_file.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::cli {
namespace {

/// A command with an option of each kind, parsed and then given a file.
class ConfigFileTest : public testing::Test {
 protected:
  ConfigFileTest() {
    command_->add_option("--port", port_);
    command_->add_option("--path", path_)->envname("PATH");  // one that is always set
    command_->add_option("--jobs", jobs_)->check(CLI::Range(1, 9));
    command_->add_option("--body", body_)->transform(CLI::AsSizeValue(false));
    command_->add_option("--devices", devices_)->delimiter(',');
    command_->add_flag("--strict", strict_);
    command_->add_option("--config", config_)->configurable(false);
  }
  Result<void> read(const std::string& text, std::vector<std::string> arguments = {}) {
    EXPECT_TRUE(write_file_atomically(file(), text));
    arguments.emplace_back("serve");  // CLI11 takes them in reverse
    app_.parse(std::move(arguments));
    return read_config_file(*command_, file());
  }
  std::string refusal(const std::string& text) {
    const auto done = read(text);
    if (done) return "taken";
    EXPECT_EQ(done.error().code(), ErrorCode::invalid_argument);
    EXPECT_TRUE(done.error().message().starts_with(file().string() + ": "));
    return done.error().message().substr(file().string().size() + 2);
  }
  [[nodiscard]] std::filesystem::path file() const { return dir_.path() / "assay.toml"; }

  int port_ = 8000;
  std::string path_;
  int jobs_ = 2;
  std::size_t body_ = 0;
  std::vector<std::string> devices_;
  bool strict_ = false;
  std::string config_;

 private:
  CLI::App app_;
  CLI::App* command_ = app_.add_subcommand("serve");
  TempDir dir_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-cli-").value();
};

TEST_F(ConfigFileTest, lines_set_options_of_every_kind) {
  ASSERT_TRUE(
      read("# the house's\nport = 81 # not 80\nbody = \"2kb\"\nstrict = true\n"
           "devices = [\"cpu\", \"cuda:0\"]\n"));
  EXPECT_EQ(port_, 81);
  EXPECT_EQ(body_, 2048U);
  EXPECT_TRUE(strict_);
  EXPECT_EQ(devices_, (std::vector<std::string>{"cpu", "cuda:0"}));
  EXPECT_EQ(jobs_, 2);
}

TEST_F(ConfigFileTest, lines_may_stand_in_the_commands_section) {
  ASSERT_TRUE(read("[serve]\nport = 81\ndevices = \"cpu,cuda:0\"\nstrict = false\n"));
  EXPECT_EQ(port_, 81);
  EXPECT_EQ(devices_, (std::vector<std::string>{"cpu", "cuda:0"}));
  EXPECT_FALSE(strict_);
}

TEST_F(ConfigFileTest, the_command_line_and_the_environment_win) {
  ASSERT_TRUE(read("path = \"from the file\"\njobs = 3\nbody = 5\n", {"4", "--jobs"}));
  EXPECT_NE(path_, "from the file");
  EXPECT_EQ(jobs_, 4);
  EXPECT_EQ(body_, 5U);
}

TEST_F(ConfigFileTest, what_is_wrong_is_named) {
  EXPECT_EQ(refusal("prot = 81\n"), "serve has no option 'prot': did you mean port?");
  EXPECT_EQ(refusal("[other]\nport = 81\n"), "serve has no option 'other.port'");
  EXPECT_EQ(refusal("this is no toml\n"), "serve has no option 'this is no toml'");
  EXPECT_EQ(refusal("config = \"other.toml\"\n"), "serve has no option 'config'");
  EXPECT_EQ(refusal("port = \n"), "'port' has no value");
  EXPECT_EQ(refusal("port = \"\"\n"), "'port' has no value");
  EXPECT_EQ(refusal("jobs = 10\n"), "--jobs wants a whole number from 1 to 9, not '10'");
  EXPECT_NE(refusal("port = 81\nport = 82\n").find("--port"), std::string::npos);
  EXPECT_NE(refusal("jobs = 10\n").find("--jobs"), std::string::npos);
  EXPECT_NE(refusal("port = \"high\"\n").find("--port"), std::string::npos);
}

TEST_F(ConfigFileTest, file_that_is_not_there_is_not_found) {
  std::filesystem::remove(file());
  CLI::App command;
  EXPECT_EQ(read_config_file(command, file()).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::cli
