#include "store/migrations.hpp"

#include <array>
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "store/database.hpp"

namespace assay::store {
namespace {

constexpr Migration kFirst{.version = 1, .name = "one", .sql = "CREATE TABLE a (x INTEGER)"};
constexpr Migration kSecond{
    .version = 2, .name = "two", .sql = "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 5"};
constexpr Migration kBroken{
    .version = 2, .name = "broken", .sql = "CREATE TABLE b (x INTEGER); CREATE NONSENSE"};

class MigrationsTest : public testing::Test {
 protected:
  Result<void> migrate_to(std::span<const Migration> migrations) {
    return migrate(database_, migrations, clock_);
  }

  ManualClock clock_;
  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-mig-").value();
  Database database_ = Database::open(temp_.path() / "t.db", Database::Mode::read_write).value();
};

TEST_F(MigrationsTest, data_of_version_1_survives_an_upgrade) {
  ASSERT_TRUE(migrate_to(std::array{kFirst}));
  ASSERT_TRUE(database_.execute("INSERT INTO a VALUES (3)"));
  ASSERT_TRUE(migrate_to(std::array{kFirst, kSecond}));
  Statement query = database_.statement("SELECT x, y FROM a");
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.integer(0), 3);
  EXPECT_EQ(query.integer(1), 5);
}

TEST_F(MigrationsTest, are_applied_once) {
  ASSERT_TRUE(migrate_to(std::array{kFirst, kSecond}));
  EXPECT_TRUE(migrate_to(std::array{kFirst, kSecond}));
}

TEST_F(MigrationsTest, newer_schema_is_refused_with_both_versions_named) {
  ASSERT_TRUE(migrate_to(std::array{kFirst, kSecond}));
  const auto refused = migrate_to(std::array{kFirst});
  EXPECT_EQ(refused.error().code(), ErrorCode::conflict);
  EXPECT_NE(refused.error().message().find("schema version 2"), std::string::npos);
}

TEST_F(MigrationsTest, failing_one_leaves_the_version_before_it_whole) {
  ASSERT_TRUE(migrate_to(std::array{kFirst}));
  EXPECT_FALSE(migrate_to(std::array{kFirst, kBroken}));
  EXPECT_FALSE(database_.execute("SELECT * FROM b")) << "half a migration stayed";
  EXPECT_TRUE(migrate_to(std::array{kFirst, kSecond}));
}

TEST_F(MigrationsTest, of_the_job_store_are_numbered_without_holes) {
  int expected = 1;
  for (const Migration& migration : job_store_migrations()) {
    EXPECT_EQ(migration.version, expected++);
  }
  EXPECT_TRUE(migrate_to(job_store_migrations()));
}

}  // namespace
}  // namespace assay::store
