#include "device/dynamic_library.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace assay::device {
namespace {

const std::array<std::string, 2> kMath = {"libassay-no-such-library.so", "libm.so.6"};

TEST(OpenLibrary, takes_the_first_library_there_is) {
  void* cosine = nullptr;
  ASSERT_TRUE(open_library(kMath, std::array{Symbol{"cos", &cosine}}));
  EXPECT_NE(cosine, nullptr);
}

TEST(OpenLibrary, missing_library_is_not_found) {
  const std::array<std::string, 1> names = {"libassay-no-such-library.so"};
  const auto opened = open_library(names, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::not_found);
}

TEST(OpenLibrary, missing_symbol_is_named_unless_optional) {
  void* address = nullptr;
  const auto opened = open_library(kMath, std::array{Symbol{"assay_no_such_symbol", &address}});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message().find("assay_no_such_symbol"), std::string::npos);
  EXPECT_TRUE(
      open_library(kMath, std::array{Symbol{"assay_no_such_symbol", &address, true}}).has_value());
  EXPECT_EQ(address, nullptr);
}

TEST(IsLibraryLoaded, tells_loaded_libraries_from_installed_ones) {
  EXPECT_TRUE(is_library_loaded("libc.so.6"));
  EXPECT_FALSE(is_library_loaded("libassay-no-such-library.so"));
}

}  // namespace
}  // namespace assay::device
