#include "eval/buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "model/dtype.hpp"
#include "model/tree.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {
namespace {

constexpr std::size_t kNumbers = 4096;

class ArenasAlone final : public RunnerSource {
 public:
  Result<std::unique_ptr<Runner>> fresh() override { return fail(ErrorCode::unavailable, "none"); }
  Result<std::unique_ptr<PythonRunner>> fresh_python(const Bounds&) override {
    return fail(ErrorCode::unavailable, "none");
  }
  Result<std::unique_ptr<SharedArena>> make_arena(std::size_t size) override {
    return make_host_arena(size);
  }
};

class ExchangeTest : public testing::Test {
 protected:
  ExchangeTest() {
    for (std::size_t i = 0; i < kNumbers; ++i) {
      numbers_.push_back(i % 2 == 0 ? 0.0F : 0.37F * static_cast<float>(i) + 0.11F);
    }
    EXPECT_TRUE(buffers_.fill({content()}, {}));
  }
  [[nodiscard]] std::span<const std::byte> content() const {
    return std::as_bytes(std::span(numbers_));
  }
  /// What the next timed call takes.
  [[nodiscard]] std::vector<float> next() const {
    const tensor::Slot& slot = buffers_.slots().front();
    const auto bytes =
        buffers_.arena().look(slot.pristine.value_or(slot.offset), slot.size).value();
    std::vector<float> numbers(kNumbers);
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(numbers)).begin());
    return numbers;
  }

  ArenasAlone source_;
  std::vector<float> numbers_;
  std::vector<TensorLeaf> leaves_{{.shape = {64, 64}, .dtype = DType::float32}};
  Buffers buffers_ =
      Buffers::create({{.argument = 0, .size = kNumbers * sizeof(float)}}, {"x"}, source_).value();
};

TEST_F(ExchangeTest, calls_over_the_same_inputs_find_a_few_elements_in_other_places) {
  ASSERT_TRUE(buffers_.exchange(leaves_, 1));
  ASSERT_TRUE(buffers_.exchange(leaves_, 2));
  ASSERT_TRUE(buffers_.exchange(leaves_, 3));
  auto changed = next();
  EXPECT_NE(changed, numbers_);
  for (std::size_t i = 0; i < kNumbers; i += 2) EXPECT_EQ(changed[i], 0);
  EXPECT_TRUE(buffers_.check_timed_writes());
}

TEST_F(ExchangeTest, everything_is_as_before_once_they_are_given_back) {
  ASSERT_TRUE(buffers_.exchange(leaves_, 1));
  ASSERT_TRUE(buffers_.give_back());
  EXPECT_EQ(next(), numbers_);
  EXPECT_TRUE(buffers_.check_timed_writes());
}

TEST_F(ExchangeTest, integers_stay_where_they_are) {
  leaves_.front().dtype = DType::int32;
  ASSERT_TRUE(buffers_.exchange(leaves_, 1));
  EXPECT_EQ(next(), numbers_);
}

}  // namespace
}  // namespace assay::eval
