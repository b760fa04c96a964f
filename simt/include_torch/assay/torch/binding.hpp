// Stands in for pybind11 if an extension is a list of plain functions, as nearly all are. Reading
// and compiling pybind11 takes longer than everything else such a source needs. Python sees the
// same functions. What is not here does not compile, and the source is then compiled with pybind11.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

struct _object;  // PyObject

namespace assay::torch_binding {

using Object = _object*;

// Each reads an argument as pybind11's caster would, and returns false if it does not fit.
// `convert` is pybind11's second round, in which an int may become a float.
bool read(Object given, bool convert, at::Tensor& value);
bool read(Object given, bool convert, bool& value);
bool read(Object given, bool convert, double& value);
bool read(Object given, bool convert, std::int64_t& value);
bool read(Object given, bool convert, std::uint64_t& value);
bool read(Object given, bool convert, std::string& value);

// New references.
Object write(const at::Tensor& value);
Object write(bool value);
Object write(double value);
Object write(std::int64_t value);
Object write(std::uint64_t value);
Object write(const std::string& value);
Object none();
Object list_of(Object* items, std::size_t count);   // takes the items over
Object tuple_of(Object* items, std::size_t count);  // takes the items over

bool is_none(Object given);
/// As many new references as the sequence has items; nothing if it is no sequence.
std::optional<std::vector<Object>> items_of(Object given);
void release(Object reference);

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;
template <Integer T>
using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

// Declared before any is defined, because they call one another for nested values.
template <class T>
bool read(Object given, bool convert, std::optional<T>& value);
template <class T>
  requires(!std::same_as<T, bool>)
bool read(Object given, bool convert, std::vector<T>& values);
template <class T>
Object write(const std::optional<T>& value);
template <class T>
  requires(!std::same_as<T, bool>)
Object write(const std::vector<T>& values);
template <class... T>
Object write(const std::tuple<T...>& values);
template <class First, class Second>
Object write(const std::pair<First, Second>& values);

template <Integer T>
  requires(!std::same_as<T, Widest<T>>)
bool read(Object given, bool convert, T& value) {
  Widest<T> wide{};
  if (!read(given, convert, wide)) return false;
  if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) return false;
  value = static_cast<T>(wide);
  return true;
}

inline bool read(Object given, bool convert, float& value) {
  double wide = 0;
  if (!read(given, convert, wide)) return false;
  value = static_cast<float>(wide);
  return true;
}

template <class T>
bool read(Object given, bool convert, std::optional<T>& value) {
  if (is_none(given)) {
    value.reset();
    return true;
  }
  return read(given, convert, value.emplace());
}

template <class T>
  requires(!std::same_as<T, bool>)
bool read(Object given, bool convert, std::vector<T>& values) {
  const auto items = items_of(given);
  if (!items) return false;
  bool fits = true;
  for (const Object item : *items) {
    fits = fits && read(item, convert, values.emplace_back());
    release(item);
  }
  return fits;
}

template <Integer T>
  requires(!std::same_as<T, Widest<T>>)
Object write(T value) {
  return write(static_cast<Widest<T>>(value));
}
inline Object write(float value) {
  return write(static_cast<double>(value));
}

template <class T>
Object write(const std::optional<T>& value) {
  return value ? write(*value) : none();
}
template <class T>
  requires(!std::same_as<T, bool>)
Object write(const std::vector<T>& values) {
  std::vector<Object> items;
  for (const T& value : values) items.push_back(write(value));
  return list_of(items.data(), items.size());
}
template <class... T>
Object write(const std::tuple<T...>& values) {
  return std::apply(
      [](const T&... value) {
        std::array<Object, sizeof...(T)> items = {write(value)...};
        return tuple_of(items.data(), items.size());
      },
      values);
}
template <class First, class Second>
Object write(const std::pair<First, Second>& values) {
  return write(std::tuple<const First&, const Second&>(values));
}

using AnyFunction = void (*)();

struct Overload {
  AnyFunction function;
  std::size_t arity;
  /// Gives nothing, and sets no error, where the arguments do not fit.
  Object (*call)(AnyFunction function, Object const* arguments, bool convert);
};

template <class Result, class... Arguments, std::size_t... I>
Object call_with(AnyFunction function, Object const* arguments, bool convert,
                 std::index_sequence<I...>) {
  std::tuple<std::decay_t<Arguments>...> values;
  if (!(read(arguments[I], convert, std::get<I>(values)) && ...)) return nullptr;
  const auto typed = reinterpret_cast<Result (*)(Arguments...)>(function);
  if constexpr (std::is_void_v<Result>) {
    typed(static_cast<Arguments>(std::get<I>(values))...);
    return none();
  } else {
    return write(typed(static_cast<Arguments>(std::get<I>(values))...));
  }
}

class Module {
 public:
  explicit Module(Object module) : module_(module) {}

  template <class Result, class... Arguments>
  Module& def(const char* name, Result (*function)(Arguments...), const char* description = "") {
    add(name, description,
        {.function = reinterpret_cast<AnyFunction>(function),
         .arity = sizeof...(Arguments),
         .call = [](AnyFunction any, Object const* given, bool convert) {
           return call_with<Result, Arguments...>(any, given, convert,
                                                  std::index_sequence_for<Arguments...>());
         }});
    return *this;
  }

 private:
  void add(const char* name, const char* description, const Overload& overload);

  Object module_;
};

/// What the import of an extension gives: a module that `fill` has filled, or nothing and an error.
Object make_module(const char* name, void (*fill)(Module&));

}  // namespace assay::torch_binding

namespace torch {
template <class Result, class... Arguments>
auto wrap_pybind_function(Result (*function)(Arguments...)) {
  return function;  // torch's errors become Python's for every function here
}
}  // namespace torch

#define ASSAY_TORCH_BINDING_TEXT(name) #name
#define ASSAY_TORCH_BINDING_MODULE(name, variable)                                                 \
  static void assay_fill_##name(::assay::torch_binding::Module&);                                  \
  extern "C"                                                                                       \
      __attribute__((visibility("default"))) ::assay::torch_binding::Object PyInit_##name() {      \
    return ::assay::torch_binding::make_module(ASSAY_TORCH_BINDING_TEXT(name), assay_fill_##name); \
  }                                                                                                \
  static void assay_fill_##name([[maybe_unused]] ::assay::torch_binding::Module& variable)
#define PYBIND11_MODULE(name, variable) ASSAY_TORCH_BINDING_MODULE(name, variable)
