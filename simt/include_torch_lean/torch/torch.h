// Nothing: what sources use of it came before their first line (assay/simt/torch_prelude.hpp).
#pragma once
