/// Numbers of the control of steps, for the solvers and for what writes their steps as code.
#ifndef FOI_CONTROL_H
#define FOI_CONTROL_H

enum { FOI_LEAST_STEP = 16 }; ///< ulps of t: a step below that is too small

// Powers for the step size are taken with the bits of a double, which grow almost like its
// logarithm: their number is 2^52 (log2 v + 1023), linear between powers of two. That is within
// 6 per cent after the way back, close to exact near 1, the same on every machine, and it takes a
// tenth of the time of pow(), for which the next step would have to wait.

#define FOI_LOG_UNIT 4503599627370496.0 // 2^52: one power of two

/// The least error that the controller remembers, 1e-4, squared: -26.6 powers of two.
#define FOI_ERK_LOG_LEAST (-26.6 * FOI_LOG_UNIT)
/// What it starts from: about where the error of a step settles, so that nothing is corrected.
#define FOI_ERK_LOG_FRESH (-2.0 * FOI_LOG_UNIT)

/// A try with a squared error beyond this failed by far: something is not smooth there.
#define FOI_ERK_STARTLED 16.0
/// By what squared errors are multiplied then.
#define FOI_ERK_STRICT 400.0
/// A step shorter than this part of the time is not: what it can do wrong is no more than that, and
/// a jump of the rates could not be passed with a tolerance that time cannot resolve.
#define FOI_ERK_LEAST_STRICT 0x1p-44

#endif
