#include "trace/events/kineto.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <zlib.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/events/kineto_event.hpp"

namespace assay::trace {
namespace {

/// Bytes of a JSON text, piece by piece.
class ByteSource {
 public:
  /// The next piece; empty at the end, and after `error` was set.
  using Next = std::function<std::string_view()>;
  explicit ByteSource(Next next) : next_(std::move(next)) { piece_ = next_(); }

  [[nodiscard]] bool done() const { return at_ == piece_.size(); }
  [[nodiscard]] char current() const { return piece_[at_]; }
  void advance() {
    if (++at_ < piece_.size()) return;
    piece_ = next_();
    at_ = 0;
  }

 private:
  Next next_;
  std::string_view piece_;
  std::size_t at_ = 0;
};

/// What the JSON library reads from.
class ByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  ByteIterator() = default;
  explicit ByteIterator(ByteSource& source) : source_(&source) {}
  char operator*() const { return source_->current(); }
  ByteIterator& operator++() {
    source_->advance();
    return *this;
  }
  void operator++(int) { source_->advance(); }
  /// Only the end compares equal to the default.
  friend bool operator==(const ByteIterator& a, const ByteIterator& b) {
    return a.at_end() == b.at_end();
  }

 private:
  [[nodiscard]] bool at_end() const { return source_ == nullptr || source_->done(); }
  ByteSource* source_ = nullptr;
};

/// Follows the JSON of a trace and hands on its events. The names of the callbacks are those
/// the JSON library calls.
class Handler {
 public:
  explicit Handler(KinetoTables& tables) : tables_(tables) {}

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(std::int64_t value) {
    return number(static_cast<double>(value), std::to_string(value), value);
  }
  bool number_unsigned(std::uint64_t value) {
    const auto whole = std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : 0;
    return number(static_cast<double>(value), std::to_string(value), whole);
  }
  bool number_float(double value, const std::string& text) {
    const bool fits = value > -9e18 && value < 9e18;
    return number(value, text, fits ? static_cast<std::int64_t>(value) : 0);
  }
  bool string(std::string& value) {
    text(value);
    return true;
  }
  bool binary(std::vector<std::uint8_t>&) { return true; }

  bool start_object(std::size_t) {
    open();
    if (is_event()) event_ = {};
    if (is_device()) tables_.capture().gpus.emplace_back();
    return true;
  }
  bool key(std::string& name) {
    keys_.back() = name;
    return true;
  }
  bool end_object() {
    if (is_event()) {
      tables_.add(event_);
      ++events_;
      if (!event_.phase.empty()) ++phases_;
    }
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) {
    open();
    element_ = 0;
    return true;
  }
  bool end_array() {
    keys_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) {
    error_ = fmt::format("not JSON at byte {}: {}", position, e.what());
    return false;
  }

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// Of those, the ones that say what kind of event they are, as every event of a trace does.
  [[nodiscard]] std::uint64_t phases() const { return phases_; }

 private:
  // keys_ holds, for every open bracket, the key last seen in it ("" in an array).
  void open() { keys_.emplace_back(); }
  [[nodiscard]] std::string_view key_at(std::size_t depth) const { return keys_[depth]; }
  /// Events are in the array "traceEvents", or in an array that is the whole file.
  [[nodiscard]] std::size_t event_depth() const {
    if (keys_.size() >= 3 && key_at(0) == "traceEvents") return 3;
    return !keys_.empty() && key_at(0).empty() ? 2 : 0;
  }
  [[nodiscard]] bool is_event() const { return !keys_.empty() && keys_.size() == event_depth(); }
  [[nodiscard]] bool is_device() const {
    return keys_.size() == 3 && key_at(0) == "deviceProperties";
  }
  [[nodiscard]] bool in_args() const {
    const std::size_t depth = event_depth();
    return depth > 0 && keys_.size() > depth && key_at(depth - 1) == "args";
  }

  [[nodiscard]] std::string* text_field(std::string_view field) {
    if (field == "ph") return &event_.phase;
    if (field == "cat") return &event_.category;
    if (field == "name") return &event_.name;
    if (field == "pid") return &event_.pid;
    return field == "tid" ? &event_.tid : nullptr;
  }

  void text(std::string& value) {
    if (is_event()) {
      // Some tools that rewrite a trace quote its times.
      if (keys_.back() == "ts") event_.start = nanoseconds_of(value);
      if (keys_.back() == "dur") event_.duration = nanoseconds_of(value);
      if (std::string* const kept = text_field(keys_.back())) *kept = std::move(value);
    } else if (is_device() && keys_.back() == "name") {
      tables_.capture().gpus.back().name = value;
    }
  }

  bool number(double value, const std::string& digits, std::int64_t whole) {
    if (is_event()) {
      const std::string_view field = keys_.back();
      if (field == "ts") event_.start = nanoseconds_of(digits);
      if (field == "dur") event_.duration = nanoseconds_of(digits);
      if (field == "pid") event_.pid = digits;
      if (field == "tid") event_.tid = digits;
    } else if (in_args()) {
      argument(value, whole);
    } else if (is_device()) {
      device(whole);
    } else if (keys_.size() == 1) {
      root(whole);
    }
    return true;
  }

  void argument(double value, std::int64_t whole) {
    const std::size_t depth = event_depth();
    const std::string_view name = key_at(depth);
    if (keys_.size() == depth + 2) {  // an array in args
      if (element_ < 3 && name == "grid") event_.shape.grid[element_] = dimension(whole);
      if (element_ < 3 && name == "block") event_.shape.block[element_] = dimension(whole);
      ++element_;
      return;
    }
    if (keys_.size() != depth + 1) return;
    if (name == "correlation") event_.correlation = whole;
    if (name == "device") event_.device = whole;
    if (name == "context") event_.context = whole;
    if (name == "stream") event_.stream = whole;
    if (name == "bytes") event_.bytes = whole;
    if (name == "graph node id") event_.graph_node = whole;
    if (event_.category == "cuda_profiler_range") event_.numbers.emplace_back(name, value);
  }

  static std::uint32_t dimension(std::int64_t whole) {
    return std::in_range<std::uint32_t>(whole) ? static_cast<std::uint32_t>(whole) : 0;
  }

  void device(std::int64_t whole) {
    Gpu& gpu = tables_.capture().gpus.back();
    const std::string_view field = keys_.back();
    if (field == "id") gpu.id = whole;
    if (whole < 0) return;
    if (field == "numSms") gpu.multiprocessors = static_cast<std::uint64_t>(whole);
    if (field == "totalGlobalMem") gpu.memory_bytes = static_cast<std::uint64_t>(whole);
  }

  void root(std::int64_t whole) {
    if (keys_.back() == "schemaVersion") tables_.capture().schema = std::to_string(whole);
    if (keys_.back() == "baseTimeNanoseconds" && whole > 0) {
      tables_.capture().start_epoch_ns = static_cast<std::uint64_t>(whole);
    }
  }

  KinetoTables& tables_;
  KinetoEvent event_;
  std::vector<std::string> keys_;
  std::size_t element_ = 0;  // of the innermost array
  std::uint64_t events_ = 0;
  std::uint64_t phases_ = 0;
  std::string error_;
};

Result<Trace> parse(ByteSource::Next next) {
  KinetoTables tables;
  Handler handler(tables);
  ByteSource source(std::move(next));
  const bool whole = nlohmann::json::sax_parse(ByteIterator(source), ByteIterator(), &handler);
  if (!whole) return fail(ErrorCode::data_loss, handler.error());
  if (handler.phases() == 0) {
    return fail(ErrorCode::invalid_argument,
                handler.events() == 0
                    ? "JSON, but no trace of the PyTorch profiler: it has no traceEvents"
                    : "JSON, but no trace of the PyTorch profiler: none of its entries has a phase "
                      "(ph)");
  }
  return tables.finish();
}

/// Takes out commas before a closing bracket, which writers leave that were stopped and closed by
/// hand. Only files that are no JSON as they stand come here.
class WithoutTrailingCommas {
 public:
  explicit WithoutTrailingCommas(ByteSource::Next next) : next_(std::move(next)) {}

  std::string_view operator()() {
    out_.clear();
    while (out_.empty()) {
      const std::string_view piece = next_();
      if (piece.empty()) return {};
      for (const char c : piece) add(c);
    }
    return out_;
  }

 private:
  void add(char c) {
    if (in_text_) {
      in_text_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
      out_ += c;
      return;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') return;
    if (comma_ && c != ']' && c != '}') out_ += ',';
    comma_ = c == ',';
    in_text_ = c == '"';
    if (!comma_) out_ += c;
  }

  ByteSource::Next next_;
  std::string out_;
  bool in_text_ = false;
  bool escaped_ = false;
  bool comma_ = false;  // read and not yet passed on
};

struct GzCloser {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

}  // namespace

Result<Trace> parse_kineto(std::string_view json) {
  const auto whole = [json] {
    return ByteSource::Next([piece = json]() mutable { return std::exchange(piece, {}); });
  };
  auto trace = parse(whole());
  if (trace || trace.error().code() != ErrorCode::data_loss) return trace;
  auto lenient = parse(WithoutTrailingCommas(whole()));
  return lenient ? std::move(lenient) : std::move(trace);
}

Result<Trace> read_kineto(const std::filesystem::path& path) {
  // zlib reads a file that is not compressed as it is.
  const std::unique_ptr<gzFile_s, GzCloser> file(gzopen(path.c_str(), "rb"));
  if (!file) return fail(ErrorCode::not_found, fmt::format("open {}", path.string()));
  constexpr unsigned kPiece = 1U << 18U;
  gzbuffer(file.get(), kPiece);
  std::string buffer(kPiece, '\0');
  std::string broken;
  const auto next = [&]() -> std::string_view {
    const int count = gzread(file.get(), buffer.data(), kPiece);
    if (count > 0) return std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
    int code = Z_OK;
    const char* message = gzerror(file.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END) broken = message;
    return {};
  };
  auto trace = parse(next);
  if (!trace && trace.error().code() == ErrorCode::data_loss && broken.empty() &&
      gzrewind(file.get()) == 0) {
    if (auto lenient = parse(WithoutTrailingCommas(next))) trace = std::move(lenient);
  }
  if (!broken.empty()) {
    return fail(ErrorCode::data_loss, fmt::format("{}: {}", path.string(), broken));
  }
  if (!trace) return std::unexpected(std::move(trace).error().while_doing(path.string()));
  trace->capture.file = path.string();
  return trace;
}

}  // namespace assay::trace
