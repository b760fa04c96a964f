#include "trace/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/testkit/checkout.hpp"

namespace assay::trace {

void expect_golden(const std::string& name, const std::string& text) {
  const auto path = testkit::source_dir() / "tests" / "golden" / "traces" / name;
  if (std::getenv("ASSAY_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing: run once with ASSAY_UPDATE_GOLDEN=1";
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

}  // namespace assay::trace
