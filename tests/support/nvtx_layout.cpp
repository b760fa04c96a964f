// Holds tracer/nvtx_api.hpp against NVIDIA's headers, at compile time, and then calls NVTX as a
// program does, with a tool attached or none. Prints nothing. Needs no GPU.

#include <cstddef>

#include <nvtx3/nvToolsExt.h>

#include "tracer/nvtx_api.hpp"

namespace ours = assay::tracer::nvtx;

#define SAME_NUMBER(mine, theirs) \
  static_assert(static_cast<int>(ours::mine) == static_cast<int>(theirs))
SAME_NUMBER(MessageType::ascii, NVTX_MESSAGE_TYPE_ASCII);
SAME_NUMBER(MessageType::unicode, NVTX_MESSAGE_TYPE_UNICODE);
SAME_NUMBER(MessageType::registered, NVTX_MESSAGE_TYPE_REGISTERED);
SAME_NUMBER(PayloadType::uint64, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
SAME_NUMBER(PayloadType::int64, NVTX_PAYLOAD_TYPE_INT64);
SAME_NUMBER(PayloadType::float64, NVTX_PAYLOAD_TYPE_DOUBLE);
SAME_NUMBER(PayloadType::uint32, NVTX_PAYLOAD_TYPE_UNSIGNED_INT32);
SAME_NUMBER(PayloadType::int32, NVTX_PAYLOAD_TYPE_INT32);
SAME_NUMBER(PayloadType::float32, NVTX_PAYLOAD_TYPE_FLOAT);
SAME_NUMBER(kColorArgb, NVTX_COLOR_ARGB);
SAME_NUMBER(kCallbackTable, NVTX_ETID_CALLBACKS);
SAME_NUMBER(Module::core, NVTX_CB_MODULE_CORE);
SAME_NUMBER(Module::core2, NVTX_CB_MODULE_CORE2);
SAME_NUMBER(Core::mark_ex, NVTX_CBID_CORE_MarkEx);
SAME_NUMBER(Core::mark_a, NVTX_CBID_CORE_MarkA);
SAME_NUMBER(Core::mark_w, NVTX_CBID_CORE_MarkW);
SAME_NUMBER(Core::range_start_ex, NVTX_CBID_CORE_RangeStartEx);
SAME_NUMBER(Core::range_start_a, NVTX_CBID_CORE_RangeStartA);
SAME_NUMBER(Core::range_start_w, NVTX_CBID_CORE_RangeStartW);
SAME_NUMBER(Core::range_end, NVTX_CBID_CORE_RangeEnd);
SAME_NUMBER(Core::range_push_ex, NVTX_CBID_CORE_RangePushEx);
SAME_NUMBER(Core::range_push_a, NVTX_CBID_CORE_RangePushA);
SAME_NUMBER(Core::range_push_w, NVTX_CBID_CORE_RangePushW);
SAME_NUMBER(Core::range_pop, NVTX_CBID_CORE_RangePop);
SAME_NUMBER(Core::name_category_a, NVTX_CBID_CORE_NameCategoryA);
SAME_NUMBER(Core::name_category_w, NVTX_CBID_CORE_NameCategoryW);
SAME_NUMBER(Core::name_thread_a, NVTX_CBID_CORE_NameOsThreadA);
SAME_NUMBER(Core::name_thread_w, NVTX_CBID_CORE_NameOsThreadW);
SAME_NUMBER(Core2::mark_ex, NVTX_CBID_CORE2_DomainMarkEx);
SAME_NUMBER(Core2::range_start_ex, NVTX_CBID_CORE2_DomainRangeStartEx);
SAME_NUMBER(Core2::range_end, NVTX_CBID_CORE2_DomainRangeEnd);
SAME_NUMBER(Core2::range_push_ex, NVTX_CBID_CORE2_DomainRangePushEx);
SAME_NUMBER(Core2::range_pop, NVTX_CBID_CORE2_DomainRangePop);
SAME_NUMBER(Core2::name_category_a, NVTX_CBID_CORE2_DomainNameCategoryA);
SAME_NUMBER(Core2::name_category_w, NVTX_CBID_CORE2_DomainNameCategoryW);
SAME_NUMBER(Core2::register_string_a, NVTX_CBID_CORE2_DomainRegisterStringA);
SAME_NUMBER(Core2::register_string_w, NVTX_CBID_CORE2_DomainRegisterStringW);
SAME_NUMBER(Core2::create_a, NVTX_CBID_CORE2_DomainCreateA);
SAME_NUMBER(Core2::create_w, NVTX_CBID_CORE2_DomainCreateW);
SAME_NUMBER(Core2::destroy, NVTX_CBID_CORE2_DomainDestroy);

#define SAME_FIELD(mine, theirs)                                                               \
  static_assert(offsetof(ours::Attributes, mine) == offsetof(nvtxEventAttributes_t, theirs) && \
                sizeof(ours::Attributes::mine) == sizeof(nvtxEventAttributes_t::theirs))
SAME_FIELD(version, version);
SAME_FIELD(size, size);
SAME_FIELD(category, category);
SAME_FIELD(color_type, colorType);
SAME_FIELD(color, color);
SAME_FIELD(payload_type, payloadType);
SAME_FIELD(payload, payload);
SAME_FIELD(message_type, messageType);
SAME_FIELD(message, message);
static_assert(sizeof(ours::Attributes) == sizeof(nvtxEventAttributes_t));
static_assert(sizeof(ours::Callbacks) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(ours::Callbacks, function_table) ==
              offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));

int main() {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
  nvtxEventAttributes_t what{};
  what.version = NVTX_VERSION;
  what.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  what.category = 3;
  what.colorType = NVTX_COLOR_ARGB;
  what.color = 0xFF112233;
  what.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  what.payload.dValue = 2.5;
  what.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  what.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  if (nvtxDomainRangePushEx(domain, &what) > 0) return 1;
  nvtxRangePushW(L"wide \u00e9");
  nvtxMarkA("mark");
  nvtxRangePop();
  nvtxDomainRangePop(domain);
  nvtxNameCategoryA(3, "third");
  nvtxRangeEnd(nvtxRangeStartA("across"));
  nvtxDomainDestroy(domain);
}
