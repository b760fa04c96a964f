#pragma once

#include <mutex>
#include <optional>

namespace assay::trace {

/// A value computed when first asked for, by whichever thread asks first.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(const Make& make) {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  std::once_flag once_;
  std::optional<T> value_;
};

}  // namespace assay::trace
