#pragma once
// What this header declares is there already.
#include <assay/simt/all.hpp>
