#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/simt/engine.hpp"
#include "race_clock.hpp"
#include "shadow.hpp"

namespace assay::simt {

class Launch;

/// What the sanitizer keeps for one block while it runs.
struct BlockShadow {
  RaceClock clock;
  Shadow shared;
};

/// Who touches memory, and from where.
struct Toucher {
  unsigned thread;      // in its block
  std::uint64_t block;  // in the grid
  BlockShadow* shadow;
  const char* shared;  // the block's shared memory
  std::size_t dynamic_offset;
  const void* caller;
};

/// Checks the loads and stores of one launch. The launch runs on one OS thread, so nothing here is
/// locked and the same launch gives the same findings.
class Sanitizer {
 public:
  explicit Sanitizer(Launch& launch);

  /// False if the access must not happen. The launch has then been given up.
  [[nodiscard]] bool check(const Toucher& who, char* address, std::size_t bytes, unsigned flags);
  /// Reports the conflicts that had to wait for the end of the launch.
  void finish();

  void start_block(BlockShadow& block, std::size_t shared_bytes);
  /// Everything before the grid's barrier is ordered before everything after it.
  [[nodiscard]] std::uint32_t advance() { return ++tick_; }
  void name_dynamic_shared(const char* name, unsigned element_size);
  void add_heap(void* memory, std::size_t bytes);
  void remove_heap(void* memory);

 private:
  struct Region {
    char* base;
    std::size_t bytes;
    std::string name;
    unsigned element_size;
    Shadow shadow;
    bool is_code;  // of a shared object: its variables are known by symbol
  };
  /// A place in memory as a report names it.
  struct Spot {
    Shadow* shadow = nullptr;
    std::size_t offset = 0;  // in the shadow
    assay_simt_space space = ASSAY_SIMT_SPACE_UNKNOWN;
    std::string_view name;
    std::int64_t index = 0;
    bool inside = false;
  };
  struct SharedName {
    std::size_t begin;
    std::size_t end;
    std::string name;
    unsigned element_size;
  };
  struct PendingWrite {
    char* address = nullptr;
    std::size_t bytes = 0;
    unsigned char before[16] = {};
    assay_simt_finding finding{};
  };

  /// A race that does not count if its reader goes on with an atomic at the same place.
  struct Deferred {
    assay_simt_finding finding;
    std::uint32_t first;  // sites
    std::uint32_t second;
  };

  /// Reports a conflict that waited for its second write to be seen.
  void settle();
  /// A plain read beside an atomic.
  [[nodiscard]] static bool is_peek(const Access& before, const Access& now);
  void add_region(char* base, std::size_t bytes, std::string name, unsigned element_size,
                  bool initialised);
  void add_shared_objects();
  [[nodiscard]] Region* find_region(const char* address);
  [[nodiscard]] Spot locate(const Toucher& who, char* address, std::size_t bytes);
  [[nodiscard]] Spot locate_shared(const Toucher& who, char* address, std::size_t bytes);
  [[nodiscard]] Spot nearest(const char* address);

  void check_init(const Toucher& who, const Spot& spot, char* address, std::size_t bytes,
                  unsigned flags);
  void check_races(const Toucher& who, const Spot& spot, char* address, std::size_t bytes,
                   unsigned flags);
  void check_cell(const Toucher& who, const Spot& spot, Cell& cell, const Access& now,
                  char* address, std::size_t bytes);
  [[nodiscard]] bool ordered(const Toucher& who, const Access& before, const Access& now) const;
  [[nodiscard]] bool conflict(const Spot& spot, const Access& before, const Access& now) const;
  void remember(const Toucher& who, Cell& cell, const Access& now) const;
  void report_race(const Toucher& who, const Spot& spot, const Access& before, const Access& now,
                   char* address, std::size_t bytes);

  [[nodiscard]] assay_simt_finding finding(assay_simt_finding_kind kind, const Toucher& who,
                                           const Spot& spot, char* address, std::size_t bytes,
                                           unsigned flags) const;
  [[nodiscard]] assay_simt_place place_of(const Access& access) const;
  [[nodiscard]] std::uint32_t site_of(const void* caller);
  [[nodiscard]] bool is_new(unsigned kind, std::uint32_t first, std::uint32_t second);

  Launch& launch_;
  const bool memory_;
  const bool races_;
  const bool init_;
  const unsigned threads_per_block_;
  std::uint32_t tick_ = 1;
  std::vector<Region> regions_;  // by address
  std::size_t last_region_ = 0;
  std::vector<SharedName> shared_names_;  // static ones, by offset
  std::string dynamic_name_ = "dynamic shared memory";
  unsigned dynamic_element_ = 1;
  std::unordered_map<const void*, std::uint32_t> site_index_;
  std::vector<const void*> sites_;
  std::set<std::tuple<unsigned, std::uint32_t, std::uint32_t>> reported_;
  PendingWrite pending_;
  std::map<std::pair<std::uint32_t, const char*>, Deferred> deferred_;  // by reader and address
};

}  // namespace assay::simt
