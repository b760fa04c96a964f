#pragma once

#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"

namespace assay::simt {

/// Rewrites what a source says to torch about CUDA, because every tensor lies in the host's memory
/// here. `x.is_cuda()` asks for the CPU. torch::kCUDA and "cuda:0" name the CPU.
void rewrite_torch_words(const std::vector<Token>& tokens, Edits& edits);

}  // namespace assay::simt
