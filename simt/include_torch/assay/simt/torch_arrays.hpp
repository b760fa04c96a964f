#pragma once

// Makes tensors known as arrays to the checks of an instrumented extension. Once it is loaded,
// torch gets the memory of tensors on the CPU through here.
#include <cstddef>
#include <utility>

#include <assay/simt_abi.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace assay::simt {

class TensorArrays final : public c10::Allocator {
 public:
  explicit TensorArrays(c10::Allocator& real) : real_(real) {}

  c10::DataPtr allocate(std::size_t bytes) override {
    c10::DataPtr memory = real_.allocate(bytes);
    void* const base = memory.get();
    if (base == nullptr) return memory;
    const c10::Device device = memory.device();
    // Other code of torch may fill it. So nothing is said of what has not been written.
    const assay_simt_allocation array{base, bytes, nullptr, 1, 1};
    assay_simt_declare_array(&array);
    return {base, new c10::DataPtr(std::move(memory)), &release, device};
  }
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

 private:
  static void release(void* context) {
    auto* memory = static_cast<c10::DataPtr*>(context);
    assay_simt_forget_array(memory->get());
    delete memory;
  }

  c10::Allocator& real_;
};

/// Never taken back: tensors may outlive everything.
[[gnu::visibility("hidden")]] inline const bool tensors_are_arrays =
    (c10::SetCPUAllocator(new TensorArrays(*c10::GetCPUAllocator()), 255), true);

}  // namespace assay::simt
