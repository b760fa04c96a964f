#include "tracer/nsys_file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/os.hpp"
#include "tracer/range_event.hpp"

namespace assay::tracer {
namespace {

/// Another program that looks into the file.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) { sqlite3_open(path.c_str(), &database_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  Reader(Reader&&) = delete;
  Reader& operator=(Reader&&) = delete;
  ~Reader() { sqlite3_close(database_); }

  void run(const char* sql) {
    EXPECT_EQ(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database_);
  }
  std::int64_t number(const char* sql) {
    std::int64_t out = -1;
    const auto take = [](void* to, int, char** values, char**) {
      *static_cast<std::int64_t*>(to) = std::stoll(values[0]);
      return 0;
    };
    sqlite3_exec(database_, sql, take, &out, nullptr);
    return out;
  }

 private:
  sqlite3* database_ = nullptr;
};

RangeEvent range(std::uint64_t key, const std::string& name) {
  return {.key = key,
          .type = EventType::push_pop,
          .start = 10,
          .end = 20,
          .label = {.text = name, .registered = true}};
}

class WrittenFile : public testing::Test {
 protected:
  void write(std::uint64_t key, const std::string& name, bool last = false) {
    file_.begin();
    file_.add(range(key, name));
    file_.commit(last);
  }

  TempDir folder_ = TempDir::create(std::filesystem::temp_directory_path(), "file").value();
  std::filesystem::path path_ = folder_.path() / "t.sqlite";
  NsysFile file_ = NsysFile::create(path_, {.pid = 7, .name = "p"}, 0).value();
  Reader reader_{path_};
};

constexpr const char* kNamed =
    "SELECT count(*) FROM NVTX_EVENTS JOIN StringIds ON id = textId WHERE value = 'a'";

TEST_F(WrittenFile, has_rows_wait_while_somebody_reads_it) {
  reader_.run("BEGIN; SELECT count(*) FROM StringIds");
  write(1, "a");
  EXPECT_EQ(file_.lost(), 0U) << file_.failure();
  reader_.run("COMMIT");
  write(2, "a");
  EXPECT_EQ(file_.lost(), 0U);
  EXPECT_EQ(reader_.number(kNamed), 2);
}

TEST_F(WrittenFile, names_what_comes_after_rows_that_were_lost) {
  reader_.run(
      "CREATE TRIGGER full BEFORE INSERT ON NVTX_EVENTS WHEN new.rowid = 1 "
      "BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END");
  write(1, "a");
  EXPECT_GT(file_.lost(), 0U);
  EXPECT_NE(file_.failure().find("full"), std::string::npos) << file_.failure();
  write(2, "a");
  write(3, "b");
  EXPECT_EQ(reader_.number(kNamed), 1) << "its text went with the rows before it";
}

}  // namespace
}  // namespace assay::tracer
