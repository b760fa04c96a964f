#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

namespace assay::simt {

/// Zeroed elements that take memory only where they are touched.
template <class T>
class LazyArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LazyArray() = default;
  explicit LazyArray(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
  }
  LazyArray(LazyArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  LazyArray& operator=(LazyArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;
  ~LazyArray() {
    if (data_ != nullptr) munmap(data_, bytes());
  }

  /// False where the system had no address space left, or nothing was asked for.
  explicit operator bool() const { return data_ != nullptr; }
  [[nodiscard]] std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return data_[i]; }
  /// Makes every element zero again, giving the memory back.
  void clear() {
    if (data_ != nullptr) madvise(data_, bytes(), MADV_DONTNEED);
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }

  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace assay::simt
