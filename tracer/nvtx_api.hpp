#pragma once

#include <cstddef>
#include <cstdint>

// What we use of NVTX's C interface, declared here so that no CUDA header is needed to build. It
// has not changed since version 2. tests/support/nvtx_layout.cpp compares it with NVIDIA's headers.
namespace assay::tracer::nvtx {

using Domain = struct DomainTag*;
using String = struct StringTag*;
using RangeId = std::uint64_t;

enum class MessageType : std::int32_t { none = 0, ascii = 1, unicode = 2, registered = 3 };
enum class PayloadType : std::int32_t {
  none = 0,
  uint64 = 1,
  int64 = 2,
  float64 = 3,
  uint32 = 4,
  int32 = 5,
  float32 = 6,
};
inline constexpr std::int32_t kColorArgb = 1;

struct Attributes {  // nvtxEventAttributes_v2
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  PayloadType payload_type;
  std::int32_t reserved;
  union {
    std::uint64_t uint64;
    std::int64_t int64;
    double float64;
    std::uint32_t uint32;
    std::int32_t int32;
    float float32;
  } payload;
  MessageType message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
    String registered;
  } message;
};

enum class Module : int { core = 1, core2 = 5 };

// Places in the two tables of functions.
enum class Core : unsigned {
  mark_ex = 1,
  mark_a = 2,
  mark_w = 3,
  range_start_ex = 4,
  range_start_a = 5,
  range_start_w = 6,
  range_end = 7,
  range_push_ex = 8,
  range_push_a = 9,
  range_push_w = 10,
  range_pop = 11,
  name_category_a = 12,
  name_category_w = 13,
  name_thread_a = 14,
  name_thread_w = 15,
};
enum class Core2 : unsigned {
  mark_ex = 1,
  range_start_ex = 2,
  range_end = 3,
  range_push_ex = 4,
  range_pop = 5,
  name_category_a = 8,
  name_category_w = 9,
  register_string_a = 10,
  register_string_w = 11,
  create_a = 12,
  create_w = 13,
  destroy = 14,
};

using Function = void (*)();
using FunctionTable = Function**;  // places that hold the addresses of functions

inline constexpr std::uint32_t kCallbackTable = 1;
struct Callbacks {  // NvtxExportTableCallbacks
  std::size_t size;
  int (*function_table)(Module module, FunctionTable* table, unsigned* size);
};
using GetTable = const void* (*)(std::uint32_t id);

}  // namespace assay::tracer::nvtx
