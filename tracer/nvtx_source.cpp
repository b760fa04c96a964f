#include "tracer/nvtx_source.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "tracer/nvtx_api.hpp"
#include "tracer/range_book.hpp"
#include "tracer/range_event.hpp"
#include "tracer/thread_id.hpp"
#include "tracer/tracer.hpp"
#include "tracer/wide_text.hpp"

namespace assay::tracer {
namespace {

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : text;
}
std::string text_of(const wchar_t* text) {
  return text == nullptr ? std::string() : to_utf8(text);
}

std::uint32_t number_of(nvtx::Domain domain) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uintptr_t>(domain));
}

void read_message(const nvtx::Attributes& from, Label& label) {
  switch (from.message_type) {
    case nvtx::MessageType::none:
      break;
    case nvtx::MessageType::ascii:
      label.text = text_of(from.message.ascii);
      break;
    case nvtx::MessageType::unicode:
      label.text = text_of(from.message.unicode);
      break;
    case nvtx::MessageType::registered:
      label.registered = true;
      if (from.message.registered != nullptr) {
        label.text = *reinterpret_cast<const std::string*>(from.message.registered);
      }
      break;
  }
}

Payload payload_of(const nvtx::Attributes& from) {
  switch (from.payload_type) {
    case nvtx::PayloadType::none:
      break;
    case nvtx::PayloadType::uint64:
      return from.payload.uint64;
    case nvtx::PayloadType::int64:
      return from.payload.int64;
    case nvtx::PayloadType::float64:
      return from.payload.float64;
    case nvtx::PayloadType::uint32:
      return from.payload.uint32;
    case nvtx::PayloadType::int32:
      return from.payload.int32;
    case nvtx::PayloadType::float32:
      return from.payload.float32;
  }
  return {};
}

Label label_of(const nvtx::Attributes* from) {
  Label label;
  if (from == nullptr || from->size < sizeof(nvtx::Attributes)) return label;
  read_message(*from, label);
  if (from->category != 0) label.category = from->category;
  if (from->color_type == nvtx::kColorArgb) label.color = from->color;
  label.payload = payload_of(*from);
  return label;
}
template <class Character>
Label label_of(const Character* text) {
  return {.text = text_of(text)};
}

// What NVTX calls. The default domain is number 0, and no handle is the default domain.

template <class From>
void mark(const From* from) {
  Tracer& tracer = Tracer::of_process();
  tracer.ranges().tell(EventType::mark, 0, thread_id(), tracer.now(), label_of(from));
}
void mark_in(nvtx::Domain domain, const nvtx::Attributes* from) {
  Tracer& tracer = Tracer::of_process();
  tracer.ranges().tell(EventType::mark, number_of(domain), thread_id(), tracer.now(),
                       label_of(from));
}

template <class From>
nvtx::RangeId start(const From* from) {
  Tracer& tracer = Tracer::of_process();
  return tracer.ranges().start(0, thread_id(), tracer.now(), label_of(from));
}
nvtx::RangeId start_in(nvtx::Domain domain, const nvtx::Attributes* from) {
  Tracer& tracer = Tracer::of_process();
  return tracer.ranges().start(number_of(domain), thread_id(), tracer.now(), label_of(from));
}
void end(nvtx::RangeId id) {
  Tracer& tracer = Tracer::of_process();
  tracer.ranges().end(id, thread_id(), tracer.now());
}
void end_in(nvtx::Domain /*domain*/, nvtx::RangeId id) {
  end(id);
}

template <class From>
int push(const From* from) {
  Tracer& tracer = Tracer::of_process();
  return tracer.ranges().push(0, thread_id(), tracer.now(), label_of(from));
}
int push_in(nvtx::Domain domain, const nvtx::Attributes* from) {
  Tracer& tracer = Tracer::of_process();
  return tracer.ranges().push(number_of(domain), thread_id(), tracer.now(), label_of(from));
}
int pop() {
  Tracer& tracer = Tracer::of_process();
  return tracer.ranges().pop(0, thread_id(), tracer.now());
}
int pop_in(nvtx::Domain domain) {
  Tracer& tracer = Tracer::of_process();
  return tracer.ranges().pop(number_of(domain), thread_id(), tracer.now());
}

template <class Character>
void name_category_in(nvtx::Domain domain, std::uint32_t category, const Character* name) {
  Tracer& tracer = Tracer::of_process();
  Label label = label_of(name);
  label.category = category;
  tracer.ranges().tell(EventType::category, number_of(domain), thread_id(), tracer.now(),
                       std::move(label));
}
template <class Character>
void name_category(std::uint32_t category, const Character* name) {
  name_category_in(nullptr, category, name);
}
template <class Character>
void name_thread(std::uint32_t thread, const Character* name) {
  Tracer& tracer = Tracer::of_process();
  tracer.ranges().tell(EventType::thread_name, 0, thread, tracer.now(), label_of(name));
}

template <class Character>
nvtx::String register_string(nvtx::Domain /*domain*/, const Character* text) {
  const std::string* kept = Tracer::of_process().ranges().register_text(text_of(text));
  return reinterpret_cast<nvtx::String>(const_cast<std::string*>(kept));
}
template <class Character>
nvtx::Domain create_domain(const Character* name) {
  Tracer& tracer = Tracer::of_process();
  const std::uint32_t number =
      tracer.ranges().create_domain(text_of(name), thread_id(), tracer.now());
  return std::bit_cast<nvtx::Domain>(static_cast<std::uintptr_t>(number));
}
void destroy_domain(nvtx::Domain domain) {
  Tracer& tracer = Tracer::of_process();
  tracer.ranges().tell(EventType::domain_destroy, number_of(domain), thread_id(), tracer.now(), {});
}

/// One module's places.
struct Places {
  nvtx::FunctionTable table = nullptr;
  unsigned size = 0;

  template <class Place, class Function>
  void put(Place place, Function* function) const {
    const auto index = static_cast<unsigned>(place);
    if (index >= size || table[index] == nullptr) return;
    *table[index] = reinterpret_cast<nvtx::Function>(function);
  }
};

void fill(const Places& places, nvtx::Core) {
  using nvtx::Core;
  places.put(Core::mark_ex, &mark<nvtx::Attributes>);
  places.put(Core::mark_a, &mark<char>);
  places.put(Core::mark_w, &mark<wchar_t>);
  places.put(Core::range_start_ex, &start<nvtx::Attributes>);
  places.put(Core::range_start_a, &start<char>);
  places.put(Core::range_start_w, &start<wchar_t>);
  places.put(Core::range_end, &end);
  places.put(Core::range_push_ex, &push<nvtx::Attributes>);
  places.put(Core::range_push_a, &push<char>);
  places.put(Core::range_push_w, &push<wchar_t>);
  places.put(Core::range_pop, &pop);
  places.put(Core::name_category_a, &name_category<char>);
  places.put(Core::name_category_w, &name_category<wchar_t>);
  places.put(Core::name_thread_a, &name_thread<char>);
  places.put(Core::name_thread_w, &name_thread<wchar_t>);
}

void fill(const Places& places, nvtx::Core2) {
  using nvtx::Core2;
  places.put(Core2::mark_ex, &mark_in);
  places.put(Core2::range_start_ex, &start_in);
  places.put(Core2::range_end, &end_in);
  places.put(Core2::range_push_ex, &push_in);
  places.put(Core2::range_pop, &pop_in);
  places.put(Core2::name_category_a, &name_category_in<char>);
  places.put(Core2::name_category_w, &name_category_in<wchar_t>);
  places.put(Core2::register_string_a, &register_string<char>);
  places.put(Core2::register_string_w, &register_string<wchar_t>);
  places.put(Core2::create_a, &create_domain<char>);
  places.put(Core2::create_w, &create_domain<wchar_t>);
  places.put(Core2::destroy, &destroy_domain);
}

}  // namespace

bool attach_to_nvtx(nvtx::GetTable get_table) {
  if (get_table == nullptr) return false;
  const auto* callbacks = static_cast<const nvtx::Callbacks*>(get_table(nvtx::kCallbackTable));
  if (callbacks == nullptr || callbacks->size < sizeof(nvtx::Callbacks)) return false;
  Places core;
  if (callbacks->function_table(nvtx::Module::core, &core.table, &core.size) == 0) return false;
  fill(core, nvtx::Core());
  Places core2;
  if (callbacks->function_table(nvtx::Module::core2, &core2.table, &core2.size) != 0) {
    fill(core2, nvtx::Core2());
  }
  return true;
}

}  // namespace assay::tracer
