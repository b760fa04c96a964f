// Everything the CUDA compiler gives a source without being asked. Included before the user's
// first line, from a precompiled header.

#include <assay/simt/all.hpp>
