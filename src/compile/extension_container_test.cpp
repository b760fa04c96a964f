#include "compile/extension_container.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::compile {
namespace {

TEST(ExtensionContainer, holds_each_library_where_its_table_says) {
  const auto directory = TempDir::create(std::filesystem::temp_directory_path(), "container-");
  const auto& path = directory.value().path();
  ASSERT_TRUE(write_file_atomically(path / "a.so", "first"));
  ASSERT_TRUE(write_file_atomically(path / "b.so", "second one"));
  ASSERT_TRUE(write_container(path / "all", {{std::string(64, 'a'), "library", path / "a.so"},
                                             {std::string(64, 'b'), "image", path / "b.so"}}));
  const std::string bytes = read_file(path / "all").value();
  EXPECT_EQ(bytes.substr(0, 8), "ASSAYEXT");
  EXPECT_EQ(bytes.substr(12 + 88, 64), std::string(64, 'b'));
  std::uint64_t place[2] = {};
  std::memcpy(place, bytes.data() + 12 + 88 + 72, sizeof(place));
  EXPECT_EQ(bytes.substr(place[0], place[1]), "second one");
}

TEST(ExtensionContainer, refuses_what_it_could_not_find_again) {
  const auto directory = TempDir::create(std::filesystem::temp_directory_path(), "container-");
  const auto& path = directory.value().path();
  EXPECT_EQ(write_container(path / "all", {{"short", "library", path / "a.so"}}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_FALSE(
      write_container(path / "all", {{std::string(64, 'a'), "library", path / "missing.so"}}));
}

}  // namespace
}  // namespace assay::compile
