#pragma once

#include <assay/simt/torch_cuda.hpp>
