#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace assay::tensor {

/// Memory of our own for a tensor, which no runner can reach. If there is an accelerator, large
/// tensors lie where it can work on them (tensor/accelerator.hpp). New memory holds undefined
/// bytes.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size);
  explicit Bytes(std::span<const std::byte> copied);
  Bytes(Bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        accelerated_(std::exchange(other.accelerated_, false)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(accelerated_, other.accelerated_);
    return *this;
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes();

  [[nodiscard]] std::span<std::byte> span() { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> span() const { return {data_, size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool accelerated_ = false;
};

/// As many as both have.
void copy_bytes(std::span<const std::byte> from, std::span<std::byte> into);

[[nodiscard]] bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b);

/// A part of an array for the processor to read. It is a copy if reading in place would be slow.
class Readable {
 public:
  explicit Readable(std::span<const std::byte> bytes);
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

}  // namespace assay::tensor
