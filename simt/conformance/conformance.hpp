/// What a conformance program is made of. Cases register themselves, device buffers start out
/// poisoned, and checks look at every element. One .cu file is one program; main is at the end of
/// this header. Nothing here launches a kernel or knows which compiler is used.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

namespace conformance {

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

/// Failures of the case that is running; emptied between cases.
inline std::vector<std::string>& failures() {
  static std::vector<std::string> all;
  return all;
}

inline void fail(const char* file, int line, const std::string& why) {
  const char* slash = std::strrchr(file, '/');
  failures().push_back(std::string(slash ? slash + 1 : file) + ":" + std::to_string(line) + ": " +
                       why);
}

struct Registration {
  Registration(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

template <class T>
std::string show(const T& value) {
  char text[64];
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<unsigned long long>(value);
    std::snprintf(text, sizeof text, "%llu (0x%llx)", wide, wide);
  } else if constexpr (std::is_pointer_v<T>) {
    std::snprintf(text, sizeof text, "%p", static_cast<const void*>(value));
  } else {
    std::string bytes = "bytes";
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    for (const unsigned char byte : raw) {
      std::snprintf(text, sizeof text, " %02x", byte);
      bytes += text;
    }
    return bytes;
  }
  return text;
}

inline std::string show(const std::string& value) {
  return '"' + value + '"';
}

/// Equality of values, with NaN equal to NaN: a case that cares about NaN's bits compares bits.
template <class A, class B>
bool same(const A& a, const B& b) {
  if constexpr (std::is_floating_point_v<A> && std::is_floating_point_v<B>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b;
  } else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return a == static_cast<A>(b) && static_cast<B>(a) == b;
  } else {
    return a == b;
  }
}

template <class A, class B>
void expect_eq(const A& got, const B& want, const char* what, const char* file, int line) {
  if (same(got, want)) return;
  fail(file, line, std::string(what) + " (got " + show(got) + ", want " + show(want) + ")");
}

inline void expect_ok(cudaError_t error, const char* what, const char* file, int line) {
  if (error == cudaSuccess) return;
  fail(file, line, std::string(what) + " gave " + cudaGetErrorName(error));
}

/// Waits for everything launched so far and turns any error into a failure of the case.
inline void synchronise(const char* file, int line) {
  expect_ok(cudaGetLastError(), "launch", file, line);
  expect_ok(cudaDeviceSynchronize(), "cudaDeviceSynchronize", file, line);
}

/// Device memory that nobody has written yet holds this byte. So an element that a kernel leaves
/// out is seen: 0xA5A5A5A5 is no plausible answer of any case.
constexpr int kPoison = 0xA5;

template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    expect_ok(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), "cudaMalloc", __FILE__,
              __LINE__);
    poison();
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    expect_ok(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), "upload", __FILE__,
              __LINE__);
    settle();
  }
  Buffer(std::size_t count, T value) : Buffer(std::vector<T>(count, value)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  T* ptr() { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  void poison() {
    expect_ok(cudaMemset(data_, kPoison, bytes()), "cudaMemset", __FILE__, __LINE__);
    settle();
  }

  /// The contents after all work so far has finished.
  std::vector<T> host() const {
    synchronise(__FILE__, __LINE__);
    std::vector<T> values(count_);
    expect_ok(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost), "download",
              __FILE__, __LINE__);
    return values;
  }

 private:
  /// Neither a memset nor a copy from pageable memory need be finished when the call returns, and
  /// a non-blocking stream would not wait for it.
  static void settle() { expect_ok(cudaDeviceSynchronize(), "settling", __FILE__, __LINE__); }

  T* data_ = nullptr;
  std::size_t count_;
};

template <class T>
const std::vector<T>& elements(const std::vector<T>& values) {
  return values;
}
template <class T>
std::vector<T> elements(const Buffer<T>& buffer) {
  return buffer.host();
}

/// Compares every element with `accept(i, got)`; reports the first bad one and how many there are.
template <class Values, class Accept, class Describe>
void expect_elements(const Values& values, Accept accept, Describe describe, const char* what,
                     const char* file, int line) {
  const auto& all = elements(values);
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (accept(i, all[i])) continue;
    if (wrong++ == 0) {
      first = "index " + std::to_string(i) + ", got " + show(all[i]) + ", want " + describe(i);
    }
  }
  if (wrong == 0) return;
  fail(file, line,
       std::string(what) + ": " + std::to_string(wrong) + " of " + std::to_string(all.size()) +
           " wrong (" + first + ")");
}

template <class Values, class Want>
void expect_each(const Values& values, Want want, const char* what, const char* file, int line) {
  expect_elements(
      values, [&](std::size_t i, const auto& got) { return same(got, want(i)); },
      [&](std::size_t i) { return show(want(i)); }, what, file, line);
}

/// |got - want| <= absolute + relative * |want|, with infinities and NaN equal to themselves.
template <class Values, class Want>
void expect_near(const Values& values, double absolute, double relative, Want want,
                 const char* what, const char* file, int line) {
  expect_elements(
      values,
      [&](std::size_t i, const auto& got) {
        const double expected = want(i);
        const double actual = static_cast<double>(got);
        if (same(actual, expected)) return true;
        return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
      },
      [&](std::size_t i) { return show(static_cast<double>(want(i))); }, what, file, line);
}

/// The distance between neighbouring values of T around `exact`.
template <class T, class Exact>
Exact ulp_at(Exact exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int least = std::numeric_limits<T>::min_exponent;
  return std::ldexp(Exact{1},
                    (exponent < least ? least : exponent) - std::numeric_limits<T>::digits);
}

/// The guides' tables give the distance in ulp from the correctly rounded result, so half an ulp
/// more is allowed from the exact one. `want` must return a type more precise than the elements.
template <class Values, class Want>
void expect_ulp(const Values& values, double ulps, Want want, const char* what, const char* file,
                int line) {
  expect_elements(
      values,
      [&](std::size_t i, const auto& got) {
        using T = std::decay_t<decltype(got)>;
        using Exact = decltype(want(i));
        const Exact exact = want(i);
        if (std::isnan(exact)) return std::isnan(got);
        if (same(got, static_cast<T>(exact))) return true;
        if (!std::isfinite(got) || !std::isfinite(exact)) return false;
        const Exact distance = std::abs(static_cast<Exact>(got) - exact);
        return distance <= (static_cast<Exact>(ulps) + Exact{0.5}) * ulp_at<T>(exact);
      },
      [&](std::size_t i) { return show(static_cast<double>(want(i))); }, what, file, line);
}

/// n values start, start + step, ...
template <class T>
std::vector<T> sequence(std::size_t n, T start = T{0}, T step = T{1}) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<T>(start + static_cast<T>(i) * step);
  }
  return values;
}

/// A small generator for inputs (splitmix64): the same numbers everywhere, from any seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits64() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint32_t bits() { return static_cast<std::uint32_t>(bits64() >> 32); }
  int below(int limit) { return static_cast<int>(bits() % static_cast<std::uint32_t>(limit)); }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits64() >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

inline std::vector<float> random_floats(std::size_t n, double low, double high,
                                        std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.uniform(low, high));
  return values;
}

inline std::vector<int> random_ints(std::size_t n, int limit, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> values(n);
  for (int& value : values) value = random.below(limit);
  return values;
}

inline int run(int argc, char** argv) {
  int failed = 0;
  int ran = 0;
  for (const Case& each : cases()) {
    if (argc > 1 && std::strcmp(argv[1], each.name) != 0) continue;
    ++ran;
    failures().clear();
    each.run();
    synchronise("after the case", 0);
    if (failures().empty()) {
      std::printf("PASS %s\n", each.name);
    } else {
      ++failed;
      for (const std::string& why : failures()) {
        std::printf("FAIL %s: %s\n", each.name, why.c_str());
      }
    }
    std::fflush(stdout);
  }
  if (ran == 0) std::printf("FAIL no case of that name\n");
  return failed == 0 && ran > 0 ? 0 : 1;
}

}  // namespace conformance

#define CASE(name)                                                                \
  static void case_##name();                                                      \
  static const ::conformance::Registration registered_##name(#name, case_##name); \
  static void case_##name()

#define EXPECT_OK(call) ::conformance::expect_ok((call), #call, __FILE__, __LINE__)
#define EXPECT_EQ(got, want) ::conformance::expect_eq((got), (want), #got, __FILE__, __LINE__)
#define EXPECT_TRUE(condition) \
  ::conformance::expect_eq(static_cast<bool>(condition), true, #condition, __FILE__, __LINE__)
/// EXPECT_EACH(buffer or vector, want(i))
#define EXPECT_EACH(values, ...) \
  ::conformance::expect_each((values), __VA_ARGS__, #values, __FILE__, __LINE__)
/// EXPECT_NEAR(buffer or vector, absolute, relative, want(i))
#define EXPECT_NEAR(values, absolute, relative, ...)                                           \
  ::conformance::expect_near((values), (absolute), (relative), __VA_ARGS__, #values, __FILE__, \
                             __LINE__)
/// EXPECT_ULP(buffer or vector, ulps from the correctly rounded result, exact(i))
#define EXPECT_ULP(values, ulps, ...) \
  ::conformance::expect_ulp((values), (ulps), __VA_ARGS__, #values, __FILE__, __LINE__)
#define SYNCHRONISE() ::conformance::synchronise(__FILE__, __LINE__)

int main(int argc, char** argv) {
  return conformance::run(argc, argv);
}
