// There is no compiler in a page: nothing to write guards for.
typedef int foi_lane_guards_are_not_here;
