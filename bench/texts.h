/// Models that several benchmarks run as texts.
#ifndef BENCH_TEXTS_H
#define BENCH_TEXTS_H

static const char pendulum_text[] =
    "model Pendulum\n"
    "  parameter Real g = 9.8, l = 0.5, b = 0.1, m = 0.4;\n"
    "  Real y(start = 2.5, fixed = true), w(start = 0, fixed = true);\n"
    "equation\n"
    "  der(y) = w;\n"
    "  der(w) = -(g/l)*sin(y) - (b/m)*w;\n"
    "end Pendulum;\n";

static const char lorenz_text[] =
    "model Lorenz\n"
    "  parameter Real s = 10, r = 28, b = 8/3;\n"
    "  Real x(start = 1, fixed = true), y(start = 1, fixed = true), z(start = 1, fixed = true);\n"
    "equation\n"
    "  der(x) = s*(y - x);\n"
    "  der(y) = x*(r - z) - y;\n"
    "  der(z) = x*y - b*z;\n"
    "end Lorenz;\n";

static const char rod_text[] = "model Rod\n"
                               "  constant Integer n = 100;\n"
                               "  parameter Real k = 1000, left = 1, right = 0;\n"
                               "  Real T[n](each start = 0, each fixed = true);\n"
                               "equation\n"
                               "  der(T[1]) = k*(left - 2*T[1] + T[2]);\n"
                               "  for i in 2:n - 1 loop\n"
                               "    der(T[i]) = k*(T[i-1] - 2*T[i] + T[i+1]);\n"
                               "  end for;\n"
                               "  der(T[n]) = k*(T[n-1] - 2*T[n] + right);\n"
                               "end Rod;\n";

#endif
