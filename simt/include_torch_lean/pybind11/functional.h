// A source that asks for pybind11 itself needs torch's conversions with it. Without them its
// functions would compile, and refuse every tensor.
#pragma once
#error "needs all of torch/extension.h"
#include_next <pybind11/functional.h>
