#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "wire/value.hpp"

namespace assay::cli {

/// Replaces the member, or adds it behind the others.
inline void set_member(wire::Value::Members& members, std::string_view key, wire::Value value) {
  const auto held = std::ranges::find(members, key, &wire::Value::Member::first);
  if (held == members.end()) {
    members.emplace_back(key, std::move(value));
  } else {
    held->second = std::move(value);
  }
}

}  // namespace assay::cli
