#include "trace/analysis/renames.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/diff.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/profile_sums.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kMostLooked = 200;  // of each side, by falling change
constexpr std::size_t kMostShown = 5;

struct Rename {
  const DiffRow* before = nullptr;
  const DiffRow* after = nullptr;
  int score = 0;
  std::string why;
};

const std::set<std::string>* shapes_of(const ProfileSums& sums, const std::string& name) {
  const auto found = sums.shapes.find(name);
  return found == sums.shapes.end() || found->second.empty() ? nullptr : &found->second;
}

Rename weigh(const ProfileSums& a, const DiffRow& before, const ProfileSums& b,
             const DiffRow& after, const OpClassifier& classifier) {
  Rename out{.before = &before, .after = &after};
  const auto* grids_a = shapes_of(a, before.name);
  const auto* grids_b = shapes_of(b, after.name);
  if (grids_a == nullptr || grids_b == nullptr || *grids_a != *grids_b) return out;
  out.score = 2;
  out.why = grids_a->size() == 1 ? fmt::format("the same grid and block, {}", *grids_a->begin())
                                 : fmt::format("the same {} grids and blocks", grids_a->size());
  if (before.a->count == after.b->count) {
    out.score += 2;
    out.why += fmt::format(", {} launches each", before.a->count);
  }
  const OpClass op = classifier.classify(before.name).op;
  if (op != OpClass::other && op == classifier.classify(after.name).op) {
    out.score += 1;
    out.why += fmt::format(", both {}", to_string(op));
  }
  return out;
}

}  // namespace

std::vector<Renamed> suggest_renames(const ProfileSums& a, const ProfileSums& b,
                                     const std::vector<DiffRow>& rows) {
  std::vector<const DiffRow*> gone;
  std::vector<const DiffRow*> added;
  for (const DiffRow& row : rows) {
    auto& side = row.a ? gone : added;
    if (row.a.has_value() != row.b.has_value() && side.size() < kMostLooked) side.push_back(&row);
  }
  const OpClassifier classifier;
  std::vector<Rename> candidates;
  for (const DiffRow* before : gone) {
    for (const DiffRow* after : added) {
      Rename one = weigh(a, *before, b, *after, classifier);
      if (one.score > 0) candidates.push_back(std::move(one));
    }
  }
  std::ranges::stable_sort(candidates,
                           [](const Rename& x, const Rename& y) { return x.score > y.score; });
  std::vector<Renamed> out;
  std::set<const DiffRow*> used;
  for (const Rename& one : candidates) {
    if (used.contains(one.before) || used.contains(one.after)) continue;
    if (out.size() == kMostShown) break;
    used.insert(one.before);
    used.insert(one.after);
    out.push_back({.before = one.before->name, .after = one.after->name, .why = one.why});
  }
  return out;
}

}  // namespace assay::trace
