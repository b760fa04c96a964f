#pragma once

// What is computed of tensors element by element, for the GPU and for the processor: the same
// source, compiled by NVRTC and by the host's compiler, so that both give the same bits.

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

/// What an answer adds to the fingerprint of its call.
struct FingerprintTask {
  const void* array;
  Wide count;
  Word element_size;
  Wide key;
  Wide first_place;
};

}  // namespace assay::work
