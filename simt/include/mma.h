#pragma once

#include <assay/simt/wmma.hpp>
