// There is no compiler in a page: nothing to write searches for.
typedef int foi_lane_search_is_not_here;
