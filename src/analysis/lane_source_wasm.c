// There is no compiler in a page: nothing to write its source for.
typedef int foi_lane_source_is_not_here;
