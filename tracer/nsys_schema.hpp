#pragma once

namespace assay::tracer {

/// Tables and labels as Nsight Systems 2025.1 exports them (its schema 3.17), those that we fill.
extern const char* const kNsysSchema;

}  // namespace assay::tracer
