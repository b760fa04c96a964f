#include "process/processor_pressure.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "base/os.hpp"

namespace assay::process {
namespace {

class ProcessorPressureTest : public testing::Test {
 protected:
  std::optional<std::chrono::nanoseconds> read(std::string_view text) {
    std::filesystem::create_directories(proc_.path() / "pressure");
    std::ofstream(proc_.path() / "pressure" / "cpu") << text;
    return processor_pressure(proc_.path());
  }

  TempDir proc_ =
      TempDir::create(std::filesystem::temp_directory_path(), "assay-pressure-").value();
};

TEST_F(ProcessorPressureTest, the_time_in_which_some_process_waited_is_read) {
  EXPECT_EQ(read("some avg10=1.00 avg60=2.00 avg300=3.00 total=1926324379\n"
                 "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"),
            std::chrono::microseconds(1926324379));
}

TEST_F(ProcessorPressureTest, there_is_none_where_linux_keeps_no_account) {
  EXPECT_EQ(processor_pressure(proc_.path()), std::nullopt);
  EXPECT_EQ(read(""), std::nullopt);
  EXPECT_EQ(read("some avg10=1.00\n"), std::nullopt);
  EXPECT_EQ(read("some total=\n"), std::nullopt);
  EXPECT_EQ(read("full total=7\n"), std::nullopt);
}

}  // namespace
}  // namespace assay::process
