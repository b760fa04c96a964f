#include "profile/engines.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::profile {
namespace {

bool has(const std::vector<std::string>& argv, const std::string& word) {
  return std::ranges::find(argv, word) != argv.end();
}

TEST(Engines, are_looked_for_on_the_path_and_told_where_they_are_not) {
  const TempDir folder = TempDir::create(std::filesystem::temp_directory_path(), "engines").value();
  const auto nsys = folder.path() / "nsys";
  std::ofstream(nsys) << "#!/bin/sh\n";
  EXPECT_NE(find_engines(folder.path().string())[0].path, nsys) << "not executable";
  std::filesystem::permissions(nsys, std::filesystem::perms::owner_all);
  const auto engines = find_engines("/nonexistent:" + folder.path().string());
  EXPECT_EQ(engines.at(0).name, "nsys");
  EXPECT_EQ(engines.at(0).path, nsys);
  EXPECT_EQ(engines.at(0).told, nsys.string());
  for (const Engine& engine : find_engines("/nonexistent")) {
    EXPECT_TRUE(engine.path || engine.told.find("not found on PATH") != std::string::npos);
  }
}

TEST(Gates, become_arguments_of_nsys) {
  const auto all = nsys_command("/bin/nsys", {}, "/run/timeline", {"python", "x.py"});
  EXPECT_EQ(all.front(), "/bin/nsys");
  EXPECT_EQ(all.back(), "x.py");
  EXPECT_TRUE(has(all, "--cuda-graph-trace=node")) << "else kernels of graphs are not recorded";
  const auto gated =
      nsys_command("/bin/nsys", {.nvtx_range = "step@LLM", .delay_s = 2, .duration_s = 5},
                   "/run/timeline", {"python"});
  EXPECT_TRUE(has(gated, "--capture-range=nvtx"));
  EXPECT_TRUE(has(gated, "--nvtx-capture=step@LLM"));
  EXPECT_TRUE(has(gated, "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0"))
      << "else ranges of Python record nothing";
  EXPECT_TRUE(has(gated, "--delay=2"));
  EXPECT_TRUE(has(gated, "--duration=5"));
}

TEST(Gates, keep_an_at_sign_of_a_range_apart_from_its_domain) {
  EXPECT_EQ(nsys_range("step@LLM"), "step@LLM");
  EXPECT_EQ(nsys_range("LLM@prefill@LLM"), "LLM\\@prefill@LLM") << "nsys drops all but the last";
  EXPECT_EQ(nsys_range("LLM\\@prefill"), "LLM\\@prefill");
  EXPECT_EQ(plain_range("LLM\\@prefill"), "LLM@prefill");
}

TEST(Gates, that_exclude_each_other_are_refused) {
  EXPECT_TRUE(check({}).has_value());
  EXPECT_EQ(check({.nvtx_range = "x", .cuda_profiler = true}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(check({.ranks = "all"}).error().code(), ErrorCode::invalid_argument);
  EXPECT_TRUE(check({.ranks = "0,3"}).has_value());
  EXPECT_EQ(check({.delay_s = -1}).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::profile
