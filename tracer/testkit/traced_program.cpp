// A program that uses CUDA and NVTX as others do, on the fake GPU: it loads libcuda.so.1, calls
// cuInit, and calls NVTX through places that a tool may fill. What it does stands in a script:
//   push NAME [DOMAIN] | pop [DOMAIN] | start NAME | end | mark NAME | registered NAME | payload N
//   launch NAME GRID MICROSECONDS [driver] | graph NAME COUNT | copy BYTES | fill BYTES | question
//   profiler 0|1 | sleep MILLISECONDS | many COUNT NAME | fork | join | thread NAME | crash | kill
// `fork` makes a child that does what follows, up to `join`, where its parent waits for it.

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/nvtx_api.hpp"
#include "tracer/testkit/fake_gpu.hpp"

namespace {

namespace nvtx = assay::tracer::nvtx;

// NVTX's half that is compiled into programs: places for functions, filled by a tool if there is
// one.
std::array<nvtx::Function, 16> core{};
std::array<nvtx::Function, 16> core2{};
std::array<nvtx::Function*, 16> core_places{};
std::array<nvtx::Function*, 16> core2_places{};

int function_table(nvtx::Module module, nvtx::FunctionTable* table, unsigned* size) {
  const bool first = module == nvtx::Module::core;
  if (!first && module != nvtx::Module::core2) return 0;
  *table = first ? core_places.data() : core2_places.data();
  *size = 16;
  return 1;
}

const void* get_table(std::uint32_t id) {
  static const nvtx::Callbacks callbacks{.size = sizeof callbacks,
                                         .function_table = &function_table};
  return id == nvtx::kCallbackTable ? &callbacks : nullptr;
}

void load_nvtx() {
  for (unsigned i = 0; i < 16; ++i) {
    core_places[i] = &core[i];
    core2_places[i] = &core2[i];
  }
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  void* library = path == nullptr ? nullptr : ::dlopen(path, RTLD_LAZY);
  if (library == nullptr) return;
  using Initialize = int (*)(nvtx::GetTable);
  const auto initialize =
      reinterpret_cast<Initialize>(::dlsym(library, "InitializeInjectionNvtx2"));
  if (initialize != nullptr) initialize(&get_table);
}

template <class Type, class Place>
Type* function(Place place) {
  const auto index = static_cast<unsigned>(place);
  constexpr bool first = std::is_same_v<Place, nvtx::Core>;
  return reinterpret_cast<Type*>(first ? core[index] : core2[index]);
}

struct Gpu {
  FakeInit init = nullptr;
  FakeLaunchFunction launch = nullptr;
  FakeMove copy = nullptr;
  FakeMove fill = nullptr;
  FakeProfiler profiler = nullptr;
  FakeQuestion question = nullptr;
  FakePass pass = nullptr;

  void open() {
    if (launch != nullptr) return;
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", ::dlerror());
      std::exit(3);
    }
    const auto find = [&](auto& to, const char* name) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(::dlsym(library, name));
    };
    find(init, "cuInit");
    find(launch, "fake_launch");
    find(copy, "fake_copy");
    find(fill, "fake_fill");
    find(profiler, "fake_profiler");
    find(question, "fake_question");
    find(pass, "fake_pass");
    init(0);
  }
};

class Program {
 public:
  explicit Program(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  void run() {
    for (at_ = 0; at_ < lines_.size(); ++at_) step(lines_[at_]);
  }

 private:
  /// Kept for ever: CUPTI's names of kernels are, and records point to them.
  const char* kept(const std::string& name) { return names_.insert(name).first->c_str(); }

  nvtx::Domain domain(const std::string& name) {
    auto* create = function<nvtx::Domain(const char*)>(nvtx::Core2::create_a);
    const auto [found, is_new] = domains_.try_emplace(name, nullptr);
    if (is_new && create != nullptr) found->second = create(name.c_str());
    return found->second;
  }

  static nvtx::Attributes attributes() {
    nvtx::Attributes out{};
    out.version = 2;
    out.size = sizeof out;
    return out;
  }

  void push(const std::string& name, const std::string& in) {
    if (in.empty()) {
      if (auto* call = function<int(const char*)>(nvtx::Core::range_push_a)) call(name.c_str());
      return;
    }
    nvtx::Attributes what = attributes();
    what.message_type = nvtx::MessageType::ascii;
    what.message.ascii = name.c_str();
    auto* call = function<int(nvtx::Domain, const nvtx::Attributes*)>(nvtx::Core2::range_push_ex);
    if (call != nullptr) call(domain(in), &what);
  }

  void pop(const std::string& in) {
    if (in.empty()) {
      if (auto* call = function<int()>(nvtx::Core::range_pop)) call();
    } else if (auto* call = function<int(nvtx::Domain)>(nvtx::Core2::range_pop)) {
      call(domain(in));
    }
  }

  void push_registered(const std::string& name, std::uint64_t payload) {
    auto* make = function<nvtx::String(nvtx::Domain, const char*)>(nvtx::Core2::register_string_a);
    auto* call = function<int(nvtx::Domain, const nvtx::Attributes*)>(nvtx::Core2::range_push_ex);
    if (make == nullptr || call == nullptr) return;
    nvtx::Attributes what = attributes();
    what.message_type = nvtx::MessageType::registered;
    what.message.registered = make(nullptr, name.c_str());
    what.payload_type = nvtx::PayloadType::uint64;
    what.payload.uint64 = payload;
    what.category = 5;
    what.color_type = nvtx::kColorArgb;
    what.color = 0xFF00FF00;
    call(nullptr, &what);
  }

  std::uint32_t launch(FakeLaunch what, const std::string& name) {
    gpu_.open();
    what.name = kept(name);
    what.block = 128;
    what.stream = 7;
    return gpu_.launch(&what);
  }

  void step(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    std::string name;
    std::string rest;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    words >> verb;
    if (verb == "push" && words >> name) {
      words >> rest;
      push(name, rest);
    } else if (verb == "pop") {
      words >> rest;
      pop(rest);
    } else if (verb == "registered" && words >> name >> a) {
      push_registered(name, a);
    } else if (verb == "start" && words >> name) {
      if (auto* call = function<nvtx::RangeId(const char*)>(nvtx::Core::range_start_a)) {
        started_.push_back(call(name.c_str()));
      }
    } else if (verb == "end" && !started_.empty()) {
      if (auto* call = function<void(nvtx::RangeId)>(nvtx::Core::range_end)) call(started_.back());
      started_.pop_back();
    } else if (verb == "mark" && words >> name) {
      if (auto* call = function<void(const char*)>(nvtx::Core::mark_a)) call(name.c_str());
    } else if (verb == "launch" && words >> name >> a >> b) {
      words >> rest;
      launch({.grid = static_cast<std::uint32_t>(a),
              .nanoseconds = b * 1000,
              .by_driver = rest == "driver"},
             name);
    } else if (verb == "graph" && words >> name >> a) {
      std::uint32_t correlation = 0;
      for (std::uint64_t node = 1; node <= a; ++node) {
        correlation = launch(
            {.grid = 8, .nanoseconds = 5000, .graph_node = node, .correlation = correlation}, name);
      }
    } else if (verb == "many" && words >> a >> name) {
      for (std::uint64_t i = 0; i < a; ++i) launch({.grid = 4, .nanoseconds = 1000}, name);
    } else if (verb == "copy" && words >> a) {
      gpu_.open();
      gpu_.copy(a, 10'000);
    } else if (verb == "fill" && words >> a) {
      gpu_.open();
      gpu_.fill(a, 2000);
    } else if (verb == "question") {
      gpu_.open();
      gpu_.question();
    } else if (verb == "profiler" && words >> a) {
      gpu_.open();
      gpu_.profiler(static_cast<int>(a));
    } else if (verb == "sleep" && words >> a) {
      const std::chrono::nanoseconds time = std::chrono::milliseconds(a);
      std::this_thread::sleep_for(time);
      if (gpu_.pass != nullptr) gpu_.pass(static_cast<std::uint64_t>(time.count()));
    } else if (verb == "thread" && words >> name) {
      std::thread([&] {
        push(name, "");
        launch({.grid = 2, .nanoseconds = 1000}, "of_" + name);
        pop("");
      }).join();
    } else if (verb == "fork") {
      fork_off();
    } else if (verb == "join") {
      std::exit(0);  // only a child comes here: its parent has skipped its part
    } else if (verb == "crash") {
      std::raise(SIGSEGV);
    } else if (verb == "kill") {
      std::raise(SIGKILL);
    } else if (!verb.empty()) {
      std::fprintf(stderr, "what is '%s'?\n", line.c_str());
      std::exit(2);
    }
  }

  void fork_off() {
    const pid_t child = ::fork();
    if (child == 0) return;
    while (at_ < lines_.size() && lines_[at_] != "join") ++at_;
    int status = 0;
    ::waitpid(child, &status, 0);
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  Gpu gpu_;
  std::set<std::string> names_;
  std::map<std::string, nvtx::Domain> domains_;
  std::vector<nvtx::RangeId> started_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  std::ifstream file(arguments[1]);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  load_nvtx();
  (new Program(lines))->run();  // names of kernels outlive main(), as in CUPTI
  return 0;
}
