#pragma once

#include <utility>

// libcu++ is the host's standard library here: kernels are host code.
namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda
