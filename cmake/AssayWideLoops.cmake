# assay_wide_loops(<source>...)
#
# Sources of the calling folder whose loops over elements a compiler makes wide. No sum may be fused into a
# product: a GPU gives the same bits. Nobody reads errno or the flags of floating point, and a loop that set
# them would stay narrow. A precompiled header would bring its own options along.
function(assay_wide_loops)
  set_source_files_properties(${ARGV} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
    "-ffp-contract=off;-fno-math-errno;-fno-trapping-math;$<$<CONFIG:Release>:-O3>")
endfunction()
