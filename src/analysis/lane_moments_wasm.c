// There is no compiler in a page: nothing to write moments for.
typedef int foi_lane_moments_are_not_here;
