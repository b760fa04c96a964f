#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::trace {

/// Numbers distinct keys in order of first sight. Profiles repeat a few keys millions of times,
/// so a small cache in front of the map answers nearly every time.
template <class K, class Hash>
class Interner {
 public:
  using Key = K;

  std::uint32_t operator()(const Key& key) {
    const std::size_t hash = Hash{}(key);
    Slot& slot = cache_[hash % cache_.size()];
    if (slot.used && slot.key == key) return slot.id;
    const auto [found, added] = ids_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (added) keys_.push_back(key);
    slot = {.key = key, .id = found->second, .used = true};
    return found->second;
  }

  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  struct Slot {
    Key key{};
    std::uint32_t id = 0;
    bool used = false;
  };
  std::array<Slot, 512> cache_{};
  std::unordered_map<Key, std::uint32_t, Hash> ids_;
  std::vector<Key> keys_;
};

/// Mixes integers so that neighbouring values spread.
template <class... Ints>
constexpr std::size_t hash_of(Ints... values) {
  std::uint64_t hash = 0x9E37'79B9'7F4A'7C15U;
  ((hash = (hash ^ static_cast<std::uint64_t>(values)) * 0xFF51'AFD7'ED55'8CCDU,
    hash ^= hash >> 32U),
   ...);
  return static_cast<std::size_t>(hash);
}

}  // namespace assay::trace
