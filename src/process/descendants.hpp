#pragma once

namespace assay::process {

/// Kills and reaps every descendant of this process. Needs PR_SET_CHILD_SUBREAPER, so that orphans
/// become our children. A last resort: a pid namespace does the same without races.
void kill_descendants();

}  // namespace assay::process
