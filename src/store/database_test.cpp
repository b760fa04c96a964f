#include "store/database.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::store {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(database_.execute("CREATE TABLE t (a INTEGER UNIQUE, b TEXT)"));
  }
  std::int64_t rows() {
    Statement query = database_.statement("SELECT count(*) FROM t");
    EXPECT_TRUE(query.step().value());
    return query.integer(0);
  }

  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-db-").value();
  Database database_ = Database::open(temp_.path() / "t.db", Database::Mode::read_write).value();
};

TEST_F(DatabaseTest, reads_what_was_bound) {
  const std::optional<std::string> nothing;
  ASSERT_TRUE(database_.statement("INSERT INTO t VALUES (?, ?)").bind(7).bind("seven").run());
  ASSERT_TRUE(database_.statement("INSERT INTO t VALUES (?, ?)").bind(8).bind(nothing).run());
  Statement query = database_.statement("SELECT a, b FROM t ORDER BY a");
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.integer(0), 7);
  EXPECT_EQ(query.optional_text(1), "seven");
  ASSERT_TRUE(query.step().value());
  EXPECT_EQ(query.optional_integer(0), 8);
  EXPECT_EQ(query.optional_text(1), std::nullopt);
  EXPECT_FALSE(query.step().value());
}

TEST_F(DatabaseTest, statement_that_does_not_parse_fails_when_stepped) {
  EXPECT_EQ(database_.statement("SELEC 1").bind(1).step().error().code(), ErrorCode::internal);
  EXPECT_FALSE(database_.execute("SELEC 1"));
}

TEST_F(DatabaseTest, broken_constraint_is_a_conflict) {
  ASSERT_TRUE(database_.statement("INSERT INTO t VALUES (1, 'x')").run());
  EXPECT_EQ(database_.statement("INSERT INTO t VALUES (1, 'x')").run().error().code(),
            ErrorCode::conflict);
}

TEST_F(DatabaseTest, transaction_is_undone_unless_committed) {
  {
    auto transaction = Transaction::begin(database_).value();
    ASSERT_TRUE(database_.statement("INSERT INTO t VALUES (1, 'x')").run());
  }
  EXPECT_EQ(rows(), 0);
  auto transaction = Transaction::begin(database_).value();
  EXPECT_FALSE(Transaction::begin(database_)) << "they do not nest";
  ASSERT_TRUE(database_.statement("INSERT INTO t VALUES (1, 'x')").run());
  ASSERT_TRUE(transaction.commit());
  EXPECT_EQ(rows(), 1);
}

TEST_F(DatabaseTest, file_that_is_not_a_database_is_data_loss) {
  ASSERT_TRUE(write_file_atomically(temp_.path() / "no.db", std::string(4096, 'x')));
  auto database = Database::open(temp_.path() / "no.db", Database::Mode::read_write).value();
  EXPECT_EQ(database.execute("SELECT * FROM sqlite_master").error().code(), ErrorCode::data_loss);
}

TEST_F(DatabaseTest, missing_file_is_not_opened_for_reading) {
  EXPECT_FALSE(Database::open(temp_.path() / "none.db", Database::Mode::read_only));
}

}  // namespace
}  // namespace assay::store
