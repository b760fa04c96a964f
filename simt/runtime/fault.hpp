#pragma once

namespace assay::simt {

/// Gives the calling OS thread a stack on which a fault can be handled when its own has run out.
/// Does nothing unless assay_simt_catch_faults was called.
void prepare_thread_for_faults();

}  // namespace assay::simt
