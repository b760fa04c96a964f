#pragma once

#include <assay/simt/cub.hpp>
