#pragma once

#include <assay/simt/group_algorithms.hpp>
