#pragma once

// What is computed of tensors element by element. NVRTC compiles this source for the GPU, and the
// host's compiler for the processor. So both give the same bits.

#include "comparison.hpp"
#include "distribution.hpp"
#include "elements.hpp"
#include "generation.hpp"
#include "scene.hpp"

namespace assay::work {

/// The inputs of one timed call.
struct VaryTask {
  void* to;
  const void* from;
  Wide count;
  scene::Variation how;
  scene::Strength strength;
  Wide early;  // seeds
  Wide late;
};

template <class Bits, class Vary>
ASSAY_WORK void vary_bits(const VaryTask& task, Wide i, Vary vary) {
  const Wide seed = scene::is_late(i * sizeof(Bits)) ? task.late : task.early;
  store<Bits>(task.to, i, vary(load<Bits>(task.from, i), seed));
}

ASSAY_WORK void vary_element(const VaryTask& task, Wide i) {
  const scene::Strength strength = task.strength;
  const bool brain = task.how == scene::Variation::bfloat16;
  switch (task.how) {
    case scene::Variation::float32:
      return vary_bits<Word>(
          task, i, [=](Word x, Wide seed) { return scene::varied32(x, strength, seed, i); });
    case scene::Variation::float64:
      return vary_bits<Wide>(
          task, i, [=](Wide x, Wide seed) { return scene::varied64(x, strength, seed, i); });
    case scene::Variation::float16:
    case scene::Variation::bfloat16:
      return vary_bits<unsigned short>(task, i, [=](unsigned short x, Wide seed) {
        return scene::varied16(x, brain, strength, seed, i);
      });
    case scene::Variation::copied:
      return store<unsigned char>(task.to, i, load<unsigned char>(task.from, i));
  }
}

/// What an answer adds to the fingerprint of its call.
struct FingerprintTask {
  const void* array;
  Wide count;
  Word element_size;
  Wide key;
  Wide first_place;
};

ASSAY_WORK Wide hash_element(const FingerprintTask& task, Wide i) {
  return scene::hashed_element(raw_of_size(task.element_size, task.array, i), task.key,
                               task.first_place + i);
}

}  // namespace assay::work
