// There is no compiler in a page: nothing to write enclosures for.
typedef int foi_lane_enclose_is_not_here;
