// There is no compiler in a page: nothing to write sines for.
typedef int foi_lane_trig_is_not_here;
