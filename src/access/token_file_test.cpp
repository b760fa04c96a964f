#include "access/token_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/token.hpp"
#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::access {
namespace {

class TokenFileTest : public testing::Test {
 protected:
  NewToken made(const std::string& name, Limits limits = {}) {
    NewToken made = make_token(name, {Scope::submit, Scope::read}, limits).value();
    EXPECT_TRUE(file_.add(made.token));
    return made;
  }

  TempDir temp_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-tokens-").value();
  TokenFile file_{temp_.path() / "tokens"};
};

TEST_F(TokenFileTest, keeps_tokens_as_they_were_made) {
  EXPECT_FALSE(file_.exists());
  const NewToken first = made("ci", {.per_minute = 30, .concurrent = 2, .device_seconds = 3600});
  const NewToken second = made("lab");
  EXPECT_EQ(file_.read().value(), (std::vector<Token>{first.token, second.token}));
}

TEST_F(TokenFileTest, holds_no_secret_and_is_closed_to_others) {
  const NewToken token = made("ci");
  const std::string text = read_file(file_.path()).value();
  EXPECT_EQ(text.find(token.secret), std::string::npos);
  EXPECT_NE(text.find(hash_of(token.secret).hex()), std::string::npos);
  struct stat status{};
  ASSERT_EQ(::stat(file_.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(TokenFileTest, of_root_belongs_to_the_owner_of_its_directory) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kServer = 65534;
  ASSERT_EQ(::chown(temp_.path().c_str(), kServer, kServer), 0);
  made("ci");
  struct stat status{};
  ASSERT_EQ(::stat(file_.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, kServer) << "a server that runs as this user must be able to read it";
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(TokenFileTest, revoked_token_is_gone_and_the_file_stays) {
  const NewToken token = made("ci");
  EXPECT_EQ(file_.revoke("nobody").error().code(), ErrorCode::not_found);
  EXPECT_EQ(file_.revoke("ci").value().id, token.token.id);
  EXPECT_TRUE(file_.read().value().empty());
  EXPECT_TRUE(file_.exists());
  const NewToken again = made("ci");
  EXPECT_EQ(file_.revoke(again.token.id).value().name, "ci");
}

TEST_F(TokenFileTest, taken_name_is_a_conflict) {
  made("ci");
  const NewToken second = make_token("ci", {Scope::read}, {}).value();
  EXPECT_EQ(file_.add(second.token).error().code(), ErrorCode::conflict);
}

TEST_F(TokenFileTest, a_file_that_is_not_there_is_said_to_be_made_by_create) {
  for (const auto& message :
       {file_.read().error().message(), file_.revoke("ci").error().message()}) {
    EXPECT_NE(message.find("`assay token create` makes it"), std::string::npos) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(file_.path().string() + ".lock"));
}

TEST_F(TokenFileTest, missing_file_and_broken_line_are_told_apart) {
  EXPECT_EQ(file_.read().error().code(), ErrorCode::not_found);
  made("ci");
  const std::string text = read_file(file_.path()).value();
  ASSERT_TRUE(write_file_atomically(file_.path(), text + "what is this\n"));
  const auto broken = file_.read();
  EXPECT_EQ(broken.error().code(), ErrorCode::data_loss);
  EXPECT_NE(broken.error().message().find("line 3"), std::string::npos);
}

TEST(Token, name_and_scope_are_asked_for) {
  EXPECT_EQ(make_token("two words", {Scope::read}, {}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(make_token("", {Scope::read}, {}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(make_token("ci", {}, {}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(parse_scope("root").error().code(), ErrorCode::invalid_argument);
}

TEST(Token, admin_may_all_and_the_others_what_they_say) {
  const Token submitter{.id = "1", .name = "a", .scopes = {Scope::submit}};
  EXPECT_TRUE(submitter.may(Scope::submit));
  EXPECT_FALSE(submitter.may(Scope::read));
  EXPECT_FALSE(submitter.may(Scope::admin));
  const Token admin{.id = "2", .name = "b", .scopes = {Scope::admin}};
  EXPECT_TRUE(admin.may(Scope::submit) && admin.may(Scope::read) && admin.may(Scope::admin));
}

}  // namespace
}  // namespace assay::access
