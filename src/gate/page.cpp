#include "gate/page.hpp"

#include <expected>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::gate {

Result<SharedPage> SharedPage::create() {
  UniqueFd descriptor(::memfd_create("assay-gate", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Whoever shares it could make it shorter, and reading what is gone ends a process.
  constexpr int kKeepSize = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (!descriptor || ::ftruncate(descriptor.get(), kPageBytes) != 0 ||
      ::fcntl(descriptor.get(), F_ADD_SEALS, kKeepSize) != 0) {
    return std::unexpected(errno_error("make the gate's page"));
  }
  return map(std::move(descriptor));
}

Result<SharedPage> SharedPage::map(UniqueFd descriptor) {
  void* const memory =
      ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (memory == MAP_FAILED) return std::unexpected(errno_error("map the gate's page"));
  return SharedPage(std::move(descriptor), static_cast<Page*>(memory));
}

SharedPage::SharedPage(SharedPage&& other) noexcept
    : descriptor_(std::move(other.descriptor_)), page_(std::exchange(other.page_, nullptr)) {}

SharedPage& SharedPage::operator=(SharedPage&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(page_, other.page_);
  return *this;
}

SharedPage::~SharedPage() {
  if (page_ != nullptr) ::munmap(page_, kPageBytes);
}

}  // namespace assay::gate
