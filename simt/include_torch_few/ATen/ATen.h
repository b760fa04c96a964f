// Nothing: what most sources use of it came before their first line (assay/torch/few.hpp).
#pragma once
