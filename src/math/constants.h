/// Made by tools/math_tables: change it there.
#ifndef FOI_MATH_CONSTANTS_H
#define FOI_MATH_CONSTANTS_H

// clang-format off

// exp: x = (128 e + j) ln2/128 + r
#define FOI_EXP_PER 0x1.71547652b82fep+7
#define FOI_EXP_STEP_HI 0x1.62e42fefcp-8 // 35 bits
#define FOI_EXP_STEP_LO -0x1.c610ca86c3899p-44
#define FOI_LN2 0x1.62e42fefa39efp-1
#define FOI_EXP_P2 0x1.fffffffffff57p-2 // leaves out 2^-64.4
#define FOI_EXP_P3 0x1.5555555555525p-3
#define FOI_EXP_P4 0x1.55555acf8df82p-5
#define FOI_EXP_P5 0x1.1111143255ff1p-7

// sinh, cosh: sinh r = r + r^3 (S3 + S5 r^2), cosh r = 1 + r^2 (C2 + C4 r^2)
#define FOI_SINH_3 0x1.5555555555525p-3 // leaves out 2^-66.6
#define FOI_SINH_5 0x1.1111143255ff1p-7
#define FOI_COSH_2 0x1.fffffffffff57p-2 // leaves out 2^-63.8
#define FOI_COSH_4 0x1.55555acf8df82p-5

// log: x = 2^k z, z in [0.6875, 1.375), log z = log c + log(1 + r)
#define FOI_LN2_HI 0x1.62e42fefa38p-1 // on the grid of 2^-42
#define FOI_LN2_LO 0x1.ef35793c7673p-45
#define FOI_LOG_LEAST -0x1.15p-9 // of r
#define FOI_LOG_MOST 0x1p-8
#define FOI_LOG_P2 -0x1p-1 // leaves out 2^-63.7
#define FOI_LOG_P3 0x1.5555555555556p-2
#define FOI_LOG_P4 -0x1.ffffffff6ff0ap-3
#define FOI_LOG_P5 0x1.99999999198bep-3
#define FOI_LOG_P6 -0x1.5556d56a587e1p-3
#define FOI_LOG_P7 0x1.24939e8c9c142p-3
#define FOI_LOG2_P2 -0x1.71547652b82fep-1 // leaves out 2^-62.7
#define FOI_LOG2_P3 0x1.ec709dc3a03fep-2
#define FOI_LOG2_P4 -0x1.715476525045p-2
#define FOI_LOG2_P5 0x1.2776c50e9d60fp-2
#define FOI_LOG2_P6 -0x1.ec72c7e0a2387p-3
#define FOI_LOG2_P7 0x1.a6194f3347fabp-3

// pow: -r^2/2 apart
#define FOI_POW_P3 0x1.5555555555556p-2 // leaves out 2^-71.0
#define FOI_POW_P4 -0x1p-2
#define FOI_POW_P5 0x1.99999999198bep-3
#define FOI_POW_P6 -0x1.55555554e215dp-3
#define FOI_POW_P7 0x1.24939e8c9c142p-3
#define FOI_POW_P8 -0x1.000133440e0d6p-3
#define FOI_LOG2E 0x1.71547652b82fep+0
#define FOI_LOG2E_HI 0x1.715476p+0 // 25 bits
#define FOI_LOG2E_LO 0x1.4ae0bf85ddf44p-26
#define FOI_LOG10E 0x1.bcb7b1526e50ep-2
#define FOI_LOG10E_HI 0x1.bcb7b18p-2 // 26 bits
#define FOI_LOG10E_LO -0x1.6c8d78e6acaa4p-29
#define FOI_LOG10_2_HI 0x1.34413509f8p-2 // on the grid of 2^-42
#define FOI_LOG10_2_LO -0x1.80433b83b532ap-44

// sin, cos: x = k pi/64 + r; pi/64 in 31, 31 and 53 bits
#define FOI_TRIG_PER 0x1.45f306dc9c883p+4
#define FOI_TRIG_STEP_1 0x1.921fb544p-5
#define FOI_TRIG_STEP_2 0x1.0b4611a8p-39
#define FOI_TRIG_STEP_3 -0x1.d9cceba3f91f2p-71
#define FOI_TRIG_STEP_HI 0x1.921fb58p-5 // 26 bits
#define FOI_TRIG_STEP_LO -0x1.dde973dcb3b3ap-32

// sin r = r + r^3 (S3 + ...), cos r = 1 + r^2 (C2 + ...), polynomials in r^2
#define FOI_SIN_3 -0x1.5555555555555p-3 // leaves out 2^-65.9
#define FOI_SIN_5 0x1.11111110c1df1p-7
#define FOI_SIN_7 -0x1.a018ab5447ab4p-13
#define FOI_COS_2 -0x1.ffffffffffffdp-2 // leaves out 2^-63.4
#define FOI_COS_4 0x1.55555554a324fp-5
#define FOI_COS_6 -0x1.6c154056ecaf1p-10

// tan r = r + r^3 (T3 + ...), a polynomial in r^2
#define FOI_TAN_3 0x1.5555555555555p-2 // leaves out 2^-66.6
#define FOI_TAN_5 0x1.111111111554fp-3
#define FOI_TAN_7 0x1.ba1b9f9117f79p-5
#define FOI_TAN_9 0x1.667c18646c0cdp-6

// pi and its parts
#define FOI_PI_HI 0x1.921fb54442d18p+1
#define FOI_PI_LO 0x1.1a62633145c07p-53
#define FOI_PI_2_HI 0x1.921fb54442d18p+0
#define FOI_PI_2_LO 0x1.1a62633145c07p-54
#define FOI_LOG_PI_HI 0x1.250d048e7ap+0 // on the grid of 2^-42
#define FOI_LOG_PI_LO 0x1.bd0bd5f956c6bp-44

// atan: x in one of 16 intervals to the octave from 2^-5 to 2^5, t = (x - c)/(1 + c x)
#define FOI_ATAN_3 -0x1.5555555555555p-2 // leaves out 2^-65.6
#define FOI_ATAN_5 0x1.99999999998a3p-3
#define FOI_ATAN_7 -0x1.24924922a57dep-3
#define FOI_ATAN_9 0x1.c71c46b162f36p-4
#define FOI_ATAN_11 -0x1.73983df1b8437p-4

// asin x = x + x^3 (ASIN_3 + ...), polynomial in x^2, below 1/2
#define FOI_ASIN_3 0x1.5555555555555p-3 // leaves out 2^-58.9
#define FOI_ASIN_5 0x1.3333333333389p-4
#define FOI_ASIN_7 0x1.6db6db6dac0eap-5
#define FOI_ASIN_9 0x1.f1c71c7a5e151p-6
#define FOI_ASIN_11 0x1.6e8ba121b9d5fp-6
#define FOI_ASIN_13 0x1.1c4efd20ebb99p-6
#define FOI_ASIN_15 0x1.c990a42b32b03p-7
#define FOI_ASIN_17 0x1.7b02ef007d23ep-7
#define FOI_ASIN_19 0x1.3b462d121c5d2p-7
#define FOI_ASIN_21 0x1.31777489dfd29p-7
#define FOI_ASIN_23 0x1.8dcdf11997e0fp-9
#define FOI_ASIN_25 0x1.40c91fa8deb7ep-6
#define FOI_ASIN_27 -0x1.3bd7e353ddbc2p-6
#define FOI_ASIN_29 0x1.e58a4f278e007p-6

// asinh x = x + x^3 (ASINH_3 + ...), atanh x = x + x^3 (ATANH_3 + ...), below 1/4
#define FOI_ASINH_3 -0x1.5555555555555p-3 // leaves out 2^-60.6
#define FOI_ASINH_5 0x1.3333333333331p-4
#define FOI_ASINH_7 -0x1.6db6db6db645fp-5
#define FOI_ASINH_9 0x1.f1c71c70d7a42p-6
#define FOI_ASINH_11 -0x1.6e8ba2873128dp-6
#define FOI_ASINH_13 0x1.1c4eae0ecb282p-6
#define FOI_ASINH_15 -0x1.c9930d6fb499bp-7
#define FOI_ASINH_17 0x1.79f22e51486b4p-7
#define FOI_ASINH_19 -0x1.37bd3ca473ddep-7
#define FOI_ASINH_21 0x1.a50ed8b74f389p-8
#define FOI_ATANH_3 0x1.5555555555555p-2 // leaves out 2^-59.6
#define FOI_ATANH_5 0x1.99999999999a5p-3
#define FOI_ATANH_7 0x1.2492492490c39p-3
#define FOI_ATANH_9 0x1.c71c71c989129p-4
#define FOI_ATANH_11 0x1.745d164b30003p-4
#define FOI_ATANH_13 0x1.3b13eb3c6d255p-4
#define FOI_ATANH_15 0x1.1108ebda8f3c7p-4
#define FOI_ATANH_17 0x1.e34a4c76a5d9dp-5
#define FOI_ATANH_19 0x1.9c8adc0263b16p-5
#define FOI_ATANH_21 0x1.05516e9dcad1dp-4

// acosh(1 + t) = sqrt(2t) (1 + t (ACOSH_1 + ...)) for t below 1/8
#define FOI_ACOSH_1 -0x1.5555555555555p-4 // leaves out 2^-60.6
#define FOI_ACOSH_2 0x1.3333333333331p-6
#define FOI_ACOSH_3 -0x1.6db6db6db646dp-8
#define FOI_ACOSH_4 0x1.f1c71c70d8ed7p-10
#define FOI_ACOSH_5 -0x1.6e8ba287a380bp-11
#define FOI_ACOSH_6 0x1.1c4eae24f8886p-12
#define FOI_ACOSH_7 -0x1.c9931276fd81bp-14
#define FOI_ACOSH_8 0x1.79f28301ac204p-15
#define FOI_ACOSH_9 -0x1.37c03ae3d8731p-16
#define FOI_ACOSH_10 0x1.a52556a9aac57p-18

// cbrt: a first value on [1, 2), to be bettered twice
#define FOI_CBRT_0 0x1.04bc2bde493b9p-1 // leaves out 2^-16.3
#define FOI_CBRT_1 0x1.6c697f83452edp-1
#define FOI_CBRT_2 -0x1.2d024eeecb9cbp-2
#define FOI_CBRT_3 0x1.544aaec5e4624p-4
#define FOI_CBRT_4 -0x1.4b077fcd0882bp-7
#define FOI_CBRT_OF_2 0x1.428a2f98d728bp+0
#define FOI_CBRT_OF_4 0x1.965fea53d6e3dp+0

// erf: x + x (E1 + x^2 (E3 + ...)) below 1/2; rows of erf up to 6; erfc = exp(-x^2) row
#define FOI_ERF_1 0x1.06eba8214db69p-3
#define FOI_ERF_3 -0x1.812746b0379e7p-2 // leaves out 2^-58.2
#define FOI_ERF_5 0x1.ce2f21a042be2p-4
#define FOI_ERF_7 -0x1.b82ce31288b5p-6
#define FOI_ERF_9 0x1.565bcd0e6a4d2p-8
#define FOI_ERF_11 -0x1.c02db40039eb8p-11
#define FOI_ERF_13 0x1.f9a326f5bfe8p-14
#define FOI_ERF_15 -0x1.f4d25acba052dp-17
#define FOI_ERF_17 0x1.b9e6731919acp-20
#define FOI_ERF_19 -0x1.5f671a847dce5p-23
#define FOI_ERF_21 0x1.fa504610fe1b7p-27
#define FOI_ERF_23 -0x1.301ed1effa10bp-30

// lgamma: rows around multiples of 1/8 up to 2.6875, of 1/4 up to 8, Stirling's series
#define FOI_HALF_LOG_2PI_HI 0x1.d67f1c864beb5p-1
#define FOI_HALF_LOG_2PI_LO -0x1.65b5a1b7ff5dfp-55
#define FOI_STIRLING_1 0x1.5555555555555p-4 // leaves out 2^-60.6
#define FOI_STIRLING_3 -0x1.6c16c16c16b29p-9
#define FOI_STIRLING_5 0x1.a01a019ee0813p-11
#define FOI_STIRLING_7 -0x1.38137ec0048dfp-11
#define FOI_STIRLING_9 0x1.b94f6d240d6aep-11
#define FOI_STIRLING_11 -0x1.f5ff252aded91p-10
#define FOI_STIRLING_13 0x1.96dace8739ce1p-8
#define FOI_STIRLING_15 -0x1.55b1c22e41728p-6
// clang-format on

#endif
