#include "trace/gzip.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

class Gzip : public testing::Test {
 protected:
  std::filesystem::path pack(const std::string& name, const std::string& bytes) {
    auto path = folder_.path() / name;
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path;
  }

  TempDir folder_ = TempDir::create(std::filesystem::temp_directory_path(), "gzip").value();
};

TEST_F(Gzip, packed_and_plain_files_read_alike) {
  const auto plain = folder_.path() / "plain";
  std::ofstream(plain) << "some text";
  EXPECT_EQ(read_unpacked(plain).value(), "some text");
  const auto packed = pack("packed.gz", "some text");
  EXPECT_EQ(read_unpacked(packed).value(), "some text");
  EXPECT_EQ(read_beginning(packed, 4).value(), "some");
}

TEST_F(Gzip, what_unpacks_to_more_than_allowed_is_refused) {
  const auto packed = pack("packed.gz", std::string(1000, 'x'));
  EXPECT_EQ(read_unpacked(packed, 1000).value().size(), 1000U);
  EXPECT_EQ(read_unpacked(packed, 999).error().code(), ErrorCode::invalid_argument);
}

TEST_F(Gzip, a_packing_that_breaks_off_is_data_loss) {
  const auto packed = pack("packed.gz", std::string(1 << 16, 'x') + "end");
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 12);
  EXPECT_EQ(read_unpacked(packed).error().code(), ErrorCode::data_loss);
  EXPECT_EQ(read_unpacked(folder_.path() / "none").error().code(), ErrorCode::not_found);
}

TEST_F(Gzip, a_packed_export_of_nsight_systems_is_read) {
  NsysFixture fixture;
  add_demo(fixture);
  const auto image = fixture.image();
  const auto packed =
      pack("run.sqlite.gz", std::string(reinterpret_cast<const char*>(image.data()), image.size()));
  const Trace trace = read_nsys_sqlite(packed).value();
  EXPECT_EQ(trace.kernels.start, read_nsys_sqlite(image).value().kernels.start);
  EXPECT_EQ(trace.capture.file, packed.string());
}

}  // namespace
}  // namespace assay::trace
