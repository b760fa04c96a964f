#pragma once

#include <assay/simt/all.hpp>
