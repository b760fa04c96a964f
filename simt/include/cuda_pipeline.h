#pragma once

#include <assay/simt/cuda_pipeline.hpp>
