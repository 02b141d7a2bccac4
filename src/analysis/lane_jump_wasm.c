// There is no compiler in a page: nothing to write jumps for.
typedef int foi_lane_jump_is_not_here;
