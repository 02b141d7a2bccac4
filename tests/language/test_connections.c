/// What is connected with what: overconstrained connectors and cardinality.
#include "samples.h"

// An angle as cosine and sine: two numbers for one degree of freedom.
static const char planar[] =
    "record Way Real c; Real s;\n"
    "  function equalityConstraint input Way a; input Way b; output Real r[1];\n"
    "  algorithm r := {a.c*b.s - a.s*b.c}; end equalityConstraint; end Way;\n"
    "connector Port Way R; Real x; flow Real f; end Port;\n"
    "model Root Port p; parameter Real angle = 0; equation Connections.root(p.R);\n"
    "  p.R.c = cos(angle); p.R.s = sin(angle); p.x = 1; end Root;\n"
    "model Turn Port a; Port b; parameter Real by = 0; Boolean near;\n"
    "equation Connections.branch(a.R, b.R); near = Connections.rooted(a.R);\n"
    "  b.R.c = a.R.c*cos(by) - a.R.s*sin(by); b.R.s = a.R.s*cos(by) + a.R.c*sin(by);\n"
    "  a.x = b.x; a.f + b.f = 0; end Turn;\n"
    "model Free Port p; Boolean root = Connections.isRoot(p.R);\n"
    "equation Connections.potentialRoot(p.R, 3); if Connections.isRoot(p.R) then p.R.c = 1;\n"
    "  p.R.s = 0; p.x = 0; else p.f = 0; end if; end Free;\n";

static bool begin_after(world *w, const char *classes, const char *model)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", classes, model);
    return begin(w, text, 2);
}

static bool begin_with(world *w, const char *model)
{
    return begin_after(w, planar, model);
}

TEST(a_tree_from_a_root)
{
    world w;
    REQUIRE(begin_with(&w,
                       "model M Root r(angle = 0.1); Turn a(by = 0.2); Turn b(by = 0.4); Free f;\n"
                       "  Real s = f.p.R.s; equation connect(r.p, a.a); connect(a.b, b.a);\n"
                       "  connect(b.b, f.p); end M;\n"));
    CHECK_NEAR(at(&w, 1, "s"), sin(0.7), 1e-12);
    CHECK_NEAR(at(&w, 1, "f.root"), 0, 0);
    CHECK_NEAR(at(&w, 1, "b.near"), 1, 0);
    end(&w);
}

TEST(a_part_without_a_root_takes_a_potential_one)
{
    world w;
    REQUIRE(begin_with(&w, "model M Turn a(by = 0.3); Free f; Real s = a.a.R.s;\n"
                           "equation connect(f.p, a.b); end M;\n"));
    CHECK_NEAR(at(&w, 1, "s"), -sin(0.3), 1e-9);
    CHECK_NEAR(at(&w, 1, "f.root"), 1, 0);
    CHECK_NEAR(at(&w, 1, "a.near"), 0, 0);
    end(&w);
}

// Two ways from the root to one place: without the broken connection there would be one equation
// too many; with it the residue determines what was left open, here the unknown turn.
TEST(a_circle_is_broken_once)
{
    world w;
    REQUIRE(begin_with(
        &w, "model Open Port a; Port b; Real by(start = 0.6);\n"
            "equation Connections.branch(a.R, b.R);\n"
            "  b.R.c = a.R.c*cos(by) - a.R.s*sin(by); b.R.s = a.R.s*cos(by) + a.R.c*sin(by);\n"
            "  a.f + b.f = 0; a.f = 0; end Open;\n"
            "model M Root r; Turn a(by = 0.2); Turn b(by = 0.3); Open o;\n"
            "equation connect(r.p, a.a); connect(a.b, b.a); connect(r.p, o.a); connect(o.b, b.b);\n"
            "end M;\n"));
    CHECK_NEAR(at(&w, 1, "o.by"), 0.5, 1e-9);
    end(&w);
}

TEST(a_circle_of_branches_is_refused)
{
    char text[4000];
    snprintf(text, sizeof text,
             "%smodel M Port a; Port b; equation Connections.branch(a.R, b.R);\n"
             "  Connections.branch(b.R, a.R); end M;\n",
             planar);
    check_refused(text, "closes a loop of branches");
}

static const sample counted[] = {
    {"cardinality",
     "connector C Real e; flow Real f; end C;\n"
     "model A C c[2]; parameter Integer n = 0; Real k = cardinality(c[1]) + 10*cardinality(c[2]);\n"
     "equation for i in 1:2 loop if cardinality(c[i]) == 0 then c[i].e = 0; else c[i].f = 1;\n"
     "  end if; end for; end A;\n"
     "model G C c; equation c.e = 0; end G;\n"
     "model M A a; G g; G h; equation connect(a.c[1], g.c); end M;\n",
     "a.k", 1, 1, 0},
};

TEST(connections_are_counted)
{
    CHECK_ALL(counted);
}

// Sources of given flow and heat into one place, through an outside connector in between.
static const char streaming[] =
    "connector Port Real p; flow Real m; stream Real h; end Port;\n"
    "model Source Port c; parameter Real m = 1; parameter Real h = 0; Real seen = inStream(c.h);\n"
    "  Real now = actualStream(c.h); equation c.m = m; c.h = h; end Source;\n"
    "model Sink Port c; Real h = inStream(c.h); equation c.p = 0; c.h = 7; end Sink;\n"
    "model Around Port c; Source s(m = -2, h = 50); Source t(m = -1, h = 20);\n"
    "  equation connect(s.c, c); connect(t.c, c); end Around;\n";

static bool begin_streams(world *w, const char *model)
{
    return begin_after(w, streaming, model);
}

TEST(streams_mix)
{
    world w;
    // alone: what it gives itself; two: what the other gives
    REQUIRE(begin_streams(&w, "model M Sink a; Source b(m = -2, h = 4); Sink s;\n"
                              "equation connect(b.c, s.c); end M;\n"));
    CHECK_NEAR(at(&w, 1, "a.h"), 7, 0);
    CHECK_NEAR(at(&w, 1, "b.seen"), 7, 0);
    CHECK_NEAR(at(&w, 1, "s.h"), 4, 0);
    CHECK_NEAR(at(&w, 1, "b.now"), 4, 0);
    end(&w);
    // three: by what they give; one that takes does not count
    REQUIRE(begin_streams(&w, "model M Source a(m = -1, h = 10); Source b(m = -3, h = 30);\n"
                              "  Source d(m = 1, h = 99); Sink s;\n"
                              "equation connect(a.c, s.c); connect(b.c, s.c); connect(d.c, s.c);\n"
                              "end M;\n"));
    CHECK_NEAR(at(&w, 1, "s.h"), (1 * 10 + 3 * 30) / 4.0, 1e-6);
    CHECK_NEAR(at(&w, 1, "d.seen"), (1 * 10 + 3 * 30) / 4.0, 1e-6);
    CHECK_NEAR(at(&w, 1, "d.now"), (1 * 10 + 3 * 30) / 4.0, 1e-6);
    end(&w);
    // through a model around: the mixture of two goes out, and what comes from outside goes in
    REQUIRE(begin_streams(&w, "model M Around a; Sink s; Source b(m = -1, h = 100);\n"
                              "equation connect(a.c, s.c); connect(b.c, s.c); end M;\n"));
    CHECK_NEAR(at(&w, 1, "a.c.h"), (2 * 50 + 1 * 20) / 3.0, 1e-6);
    CHECK_NEAR(at(&w, 1, "s.h"), (2 * 50 + 1 * 20 + 1 * 100) / 4.0, 1e-6);
    end(&w);
}

TEST(streams_that_make_no_sense_are_refused)
{
    check_refused("connector C stream Real h; end C;\nmodel M C c; end M;\n",
                  "needs one scalar flow");
    check_refused("model M Real x = time; Real y = inStream(x); end M;\n",
                  "'inStream' needs a stream variable");
}

// Two volumes with an enthalpy each: what is between them has that of where the flow comes from,
// and at rest that of where it would come from if it went forward.
TEST(what_is_between_two_volumes_at_rest)
{
    world w;
    REQUIRE(begin(&w,
                  "connector P Real p; flow Real m; Real h; flow Real H; end P;\n"
                  "model V parameter Real h0; Real h = h0 + time; P a;\n"
                  "equation a.H = semiLinear(a.m, a.h, h); end V;\n"
                  "model M V one(h0 = 1); V two(h0 = 5);\n"
                  "equation connect(one.a, two.a); one.a.p = 0;\n"
                  "  one.a.m = if time < 1 then 0 elseif time < 2 then 2 else -3;\nend M;\n",
                  3));
    CHECK_NEAR(at(&w, 0.5, "one.a.h"), 5.5, 1e-12);
    CHECK_NEAR(at(&w, 0.5, "one.a.H"), 0, 0);
    CHECK_NEAR(at(&w, 1.5, "one.a.h"), 6.5, 1e-12);
    CHECK_NEAR(at(&w, 1.5, "two.a.H"), -13, 1e-12);
    CHECK_NEAR(at(&w, 2.5, "one.a.h"), 3.5, 1e-12);
    CHECK_NEAR(at(&w, 2.5, "one.a.H"), -10.5, 1e-12);
    end(&w);
}

// With an insulated pump without mass between them: it has the enthalpy of what passes through it.
TEST(what_is_in_a_pump_at_rest)
{
    world w;
    REQUIRE(begin(&w,
                  "connector P Real p; flow Real m; Real h; flow Real H; end P;\n"
                  "model V parameter Real h0; Real h = h0 + time; P a;\n"
                  "equation a.H = semiLinear(a.m, a.h, h); end V;\n"
                  "model Pump Real h; Real q; P a; P b; equation q = 0; a.m + b.m = 0;\n"
                  "  a.H + b.H + q = 0; a.H = semiLinear(a.m, a.h, h);\n"
                  "  b.H = semiLinear(b.m, b.h, h); end Pump;\n"
                  "model M V one(h0 = 1); V two(h0 = 5); Pump p;\n"
                  "equation connect(one.a, p.a); connect(p.b, two.a); one.a.p = 0; two.a.p = 1;\n"
                  "  p.a.m = if time < 1 then 0 elseif time < 2 then 2 else -3;\nend M;\n",
                  3));
    double rest = at(&w, 0.5, "p.h");
    CHECK(rest == 1.5 || rest == 5.5);
    CHECK_NEAR(at(&w, 0.5, "p.a.H"), 0, 0);
    CHECK_NEAR(at(&w, 1.5, "p.h"), 2.5, 1e-12);
    CHECK_NEAR(at(&w, 1.5, "two.a.H"), 5, 1e-12);
    CHECK_NEAR(at(&w, 2.5, "p.h"), 7.5, 1e-12);
    CHECK_NEAR(at(&w, 2.5, "one.a.H"), 22.5, 1e-12);
    end(&w);
}

// A connector that is a record may have a value as a whole, as outputs of complex signals have.
TEST(a_connector_has_a_value)
{
    world w;
    REQUIRE(begin(&w,
                  "record R Real re; Real im; end R;\n"
                  "connector Out = output R;\n"
                  "model S R k[2] = {R(time, 2), R(3, 4*time)}; Out i[2] = k; end S;\n"
                  "model M parameter Boolean there = true; Out ir[2] if there; S s if there;\n"
                  "  Out whole = R(5, time); Out part(im = 7, re = time);\n"
                  "equation connect(ir, s.i);\nend M;\n",
                  1));
    CHECK_NEAR(at(&w, 0.5, "ir[1].re"), 0.5, 0);
    CHECK_NEAR(at(&w, 0.5, "ir[1].im"), 2, 0);
    CHECK_NEAR(at(&w, 0.5, "ir[2].im"), 2, 0);
    CHECK_NEAR(at(&w, 0.5, "whole.re"), 5, 0);
    CHECK_NEAR(at(&w, 0.5, "whole.im"), 0.5, 0);
    CHECK_NEAR(at(&w, 0.5, "part.re"), 0.5, 0);
    CHECK_NEAR(at(&w, 0.5, "part.im"), 7, 0);
    end(&w);
}

// Arrays of buses grow element by element.
TEST(buses_in_a_row)
{
    world w;
    REQUIRE(begin(&w,
                  "expandable connector Cell end Cell;\n"
                  "expandable connector Stack parameter Integer n = 1; Cell cells[n]; end Stack;\n"
                  "block S output Real y; parameter Real k = 1; equation y = k*time; end S;\n"
                  "model One Cell bus; S s; equation connect(s.y, bus.soc); end One;\n"
                  "model M parameter Integer n = 2; One c[n](s(k = {2, 3})); Stack all(n = n);\n"
                  "  Real sum = sum(all.cells.soc .* {1, 10});\n"
                  "equation connect(c.bus, all.cells);\nend M;\n",
                  1));
    CHECK_NEAR(at(&w, 0.5, "sum"), 16, 1e-14);
    CHECK_NEAR(at(&w, 0.5, "all.cells[2].soc"), 1.5, 0);
    end(&w);
}

TEST_MAIN(TEST_ENTRY(a_connector_has_a_value), TEST_ENTRY(buses_in_a_row), TEST_ENTRY(streams_mix),
          TEST_ENTRY(streams_that_make_no_sense_are_refused), TEST_ENTRY(a_tree_from_a_root),
          TEST_ENTRY(a_part_without_a_root_takes_a_potential_one),
          TEST_ENTRY(a_circle_is_broken_once), TEST_ENTRY(a_circle_of_branches_is_refused),
          TEST_ENTRY(connections_are_counted), TEST_ENTRY(what_is_between_two_volumes_at_rest),
          TEST_ENTRY(what_is_in_a_pump_at_rest))
