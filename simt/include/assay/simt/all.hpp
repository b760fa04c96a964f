#pragma once

// The C headers too: they bring the overloads for float into the global namespace.
#include <algorithm>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// In C++20 this would put std::lerp into the global namespace, where authors have one of their own.
#pragma push_macro("lerp")
#define lerp fabs
#include <math.h>
#pragma pop_macro("lerp")
#include <stdlib.h>

#include "assay/simt/atomic.hpp"
#include "assay/simt/bfloat16.hpp"
#include "assay/simt/context.hpp"
#include "assay/simt/conversions.hpp"
#include "assay/simt/device_calls.hpp"
#include "assay/simt/fp8.hpp"
#include "assay/simt/half.hpp"
#include "assay/simt/instrumentation.hpp"
#include "assay/simt/kernel_entry.hpp"
#include "assay/simt/launch.hpp"
#include "assay/simt/math.hpp"
#include "assay/simt/packed_integers.hpp"
#include "assay/simt/qualifiers.hpp"
#include "assay/simt/runtime_api.hpp"
#include "assay/simt/sync.hpp"
#include "assay/simt/vector_types.hpp"
#include "assay/simt/warp.hpp"
