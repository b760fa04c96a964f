#include "tensor/bytes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include <device_code/work.hpp>

#include "base/mutex.hpp"
#include "base/parallel.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

constexpr std::size_t kCopiedAtOnce = std::size_t{16} << 20U;
constexpr std::size_t kAtOnce = 16;  // bytes that a thread of a GPU reads or writes together

/// What the accelerator, of which a process has one at most, has allocated.
class Places {
 public:
  void install(Accelerator* accelerator) {
    const MutexLock lock(mutex_);
    accelerator_ = accelerator;
  }
  std::byte* allocate(std::size_t size) {
    const MutexLock lock(mutex_);
    if (accelerator_ == nullptr || size < kWorthAccelerating) return nullptr;
    std::byte* const memory = accelerator_->allocate(size);
    if (memory != nullptr) arrays_.emplace_back(memory, size);
    return memory;
  }
  void release(std::span<std::byte> array) {
    const MutexLock lock(mutex_);
    std::erase_if(arrays_, [&](const auto& known) { return known.data() == array.data(); });
    if (accelerator_ != nullptr) accelerator_->release(array.data(), array.size());
  }
  Accelerator* reaching(std::initializer_list<std::span<const std::byte>> arrays) {
    const MutexLock lock(mutex_);
    if (accelerator_ == nullptr || arrays_.empty()) return nullptr;
    const bool all = std::ranges::all_of(arrays, [this](std::span<const std::byte> array) {
      mutex_.assert_held();
      return array.empty() || std::ranges::any_of(arrays_, [&](std::span<std::byte> known) {
               return std::greater_equal<>()(array.data(), known.data()) &&
                      std::less_equal<>()(array.data() + array.size(), known.data() + known.size());
             });
    });
    return all ? accelerator_ : nullptr;
  }

 private:
  Mutex mutex_;
  Accelerator* accelerator_ ASSAY_GUARDED_BY(mutex_) = nullptr;
  std::vector<std::span<std::byte>> arrays_ ASSAY_GUARDED_BY(mutex_);
};

Places& places() {
  static Places all;
  return all;
}

}  // namespace

void install(Accelerator* accelerator) {
  places().install(accelerator);
}

Accelerator* accelerator_of(std::initializer_list<std::span<const std::byte>> arrays) {
  return places().reaching(arrays);
}

bool fill_on(Accelerator& accelerator, std::byte* to, std::size_t size, std::uint32_t pattern) {
  const work::FillTask task{.to = to, .size = size, .pattern = pattern};
  return accelerator.run({.kernel = "assay_fill", .elements = size / kAtOnce}, task);
}

std::optional<bool> same_on(Accelerator& accelerator, const std::byte* a, const std::byte* b,
                            std::size_t size) {
  std::array<both::Word, 1> differ{};
  const work::SameTask task{.a = a, .b = b, .size = size};
  const bool ran = accelerator.run({.kernel = "assay_same", .elements = size / kAtOnce}, task,
                                   std::span<both::Word>(differ));
  return ran ? std::optional(differ[0] == 0) : std::nullopt;
}

Bytes::Bytes(std::size_t size) : data_(places().allocate(size)), size_(size) {
  accelerated_ = data_ != nullptr;
  if (accelerated_ || size == 0) return;
  data_ = static_cast<std::byte*>(std::malloc(size));
  if (data_ == nullptr) throw std::bad_alloc();
}

Bytes::Bytes(std::span<const std::byte> copied) : Bytes(copied.size()) {
  copy_bytes(copied, span());
}

Bytes::~Bytes() {
  if (accelerated_) {
    places().release(span());
  } else {
    std::free(data_);
  }
}

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> into) {
  const std::size_t all = std::min(from.size(), into.size());
  Accelerator* accelerator = accelerator_of({from});
  if (accelerator == nullptr) accelerator = accelerator_of({into});
  if (all > 0 && accelerator != nullptr && accelerator->copy(from.data(), into.data(), all)) return;
  in_parallel((all + kCopiedAtOnce - 1) / kCopiedAtOnce, kMostThreads, [&](std::size_t stretch) {
    const std::size_t first = stretch * kCopiedAtOnce;
    std::memcpy(into.data() + first, from.data() + first, std::min(kCopiedAtOnce, all - first));
  });
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  if (Accelerator* const accelerator = accelerator_of({a, b}); accelerator != nullptr) {
    if (const auto same = same_on(*accelerator, a.data(), b.data(), a.size())) return *same;
  }
  std::atomic<bool> same = true;
  in_parallel((a.size() + kCopiedAtOnce - 1) / kCopiedAtOnce, kMostThreads,
              [&](std::size_t stretch) {
                const std::size_t first = stretch * kCopiedAtOnce;
                const std::size_t size = std::min(kCopiedAtOnce, a.size() - first);
                if (std::memcmp(a.data() + first, b.data() + first, size) != 0) same = false;
              });
  return same;
}

Readable::Readable(std::span<const std::byte> bytes) : bytes_(bytes) {
  if (bytes.empty() || accelerator_of({bytes}) == nullptr) return;
  copy_.resize(bytes.size());
  copy_bytes(bytes, copy_);
  bytes_ = copy_;
}

}  // namespace assay::tensor
