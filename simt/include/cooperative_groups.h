#pragma once

#include <assay/simt/groups.hpp>
