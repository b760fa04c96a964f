#pragma once

#include "assay/simt/cub_basics.hpp"
#include "assay/simt/cub_block.hpp"
#include "assay/simt/cub_device.hpp"
#include "assay/simt/cub_items.hpp"
#include "assay/simt/cub_warp.hpp"
