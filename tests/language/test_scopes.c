/// Where the names of a base are looked up: among its own members, redeclared or not, then in what
/// is around the base; never among what a class that extends it adds (Modelica 3.6, 5.6.1 and 7.1).
/// In each text a name has another meaning in the class that inherits.
#include "samples.h"

static const sample scopes[] = {
    {"an equation",
     "package P constant Real b=4; model F Real d(start=5,fixed=true); equation der(d)=b;\n"
     "end F; model B extends F; Real b=100; end B; end P; model M P.B x; Real y=x.d;\n"
     "end M;\n",
     "y", 1, 9, 1e-9},
    {"the value of a declaration",
     "package P constant Real b=4; model F Real d=b; end F; model B extends F; Real b=100;\n"
     "end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"the extends clause is of the class that has it",
     "package P constant Real b=4; model F Real d; end F; model B extends F(d=b);\n"
     "Real b=100; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 100, 1e-9},
    {"an algorithm",
     "package P constant Real b=4; model F Real d; algorithm d:=b; end F;\n"
     "model B extends F; Real b=100; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"an initial equation",
     "package P constant Real b=4; model F Real d; equation der(d)=0;\n"
     "initial equation d=b; end F; model B extends F; Real b=100; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"a when",
     "package P constant Real b=4; model F discrete Real d(start=0,fixed=true);\n"
     "equation when time>0.5 then d=b; end when; end F; model B extends F; Real b=100;\n"
     "end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"a size",
     "package P constant Integer n=3; model F Real d[n]=fill(2.0,n); end F;\n"
     "model B extends F; constant Integer n=7; end B; end P; model M P.B x;\n"
     "Real y=sum(x.d); end M;\n",
     "y", 1, 6, 1e-9},
    {"the range of a reduction",
     "package P constant Integer n=3; model F Real d; equation d=sum(i for i in 1:n);\n"
     "end F; model B extends F; parameter Integer n=7; end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 6, 1e-9},
    {"the range of a loop",
     "package P constant Integer n=3; model F Real d[3];\n"
     "equation for i in 1:n loop d[i]=i; end for; end F; model B extends F;\n"
     "parameter Integer n=7; end B; end P; model M P.B x; Real y=sum(x.d); end M;\n",
     "y", 1, 6, 1e-9},
    {"a condition",
     "package P constant Boolean c=false; model F Real d=1; Real e=2 if c; end F;\n"
     "model B extends F; parameter Boolean c=true; end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 1, 1e-9},
    {"a function",
     "package P function g input Real u; output Real v; algorithm v:=u+4; end g;\n"
     "model F Real d=g(1); end F; model B extends F; function g input Real u;\n"
     "output Real v; algorithm v:=u+40; end g; end B; end P; model M P.B x; Real y=x.d;\n"
     "end M;\n",
     "y", 1, 5, 1e-9},
    {"a function, beside a variable",
     "package P function g input Real u; output Real v; algorithm v:=u+4; end g;\n"
     "model F Real d=g(1); end F; model B extends F; Real g=7; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 5, 1e-9},
    {"a type",
     "package P type T=Real(start=3); model F T d(fixed=true); equation der(d)=0; end F;\n"
     "model B extends F; type T=Real(start=30); end B; end P; model M P.B x; Real y=x.d;\n"
     "end M;\n",
     "y", 1, 3, 1e-9},
    {"each has its own imports",
     "package Q constant Real k=2; end Q; package R constant Real k=3; end R;\n"
     "package P model F import Q.k; Real d=k; end F; model B import R.k; extends F; end B;\n"
     "end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 2, 1e-9},
    {"an import, beside a component",
     "package Q constant Real k=2; end Q; package P model F import Q.k; Real d=k; end F;\n"
     "model B  extends F; Real k=9; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 2, 1e-9},
    {"a modification in the base",
     "package P constant Real b=4; model S parameter Real k=0; Real d=k; end S;\n"
     "model F S s(k=b); Real d=s.d; end F; model B extends F; parameter Real b=100; end B;\n"
     "end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"two bases in two packages",
     "package P constant Real b=4; model F Real d=b; end F; end P;\n"
     "package Q constant Real b=3; model G Real e=b; end G; end Q;\n"
     "package R constant Real b=1000; model B extends P.F; extends Q.G; end B; end R;\n"
     "model M R.B x; Real y=x.d+x.e; end M;\n",
     "y", 1, 7, 1e-9},
    {"a member of one base is none of another",
     "package P constant Real b=4; model F Real d=b; end F; end P; model G Real b=3;\n"
     "Real e=b; end G; model B extends P.F; extends G; end B;  model M B x;\n"
     "Real y=x.d+x.e; end M;\n",
     "y", 1, 7, 1e-9},
    {"several levels",
     "package P constant Real b=4; model F Real d=b; end F; model E extends F; end E;\n"
     "model C extends E; Real b=50; end C; model B extends C; end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"several levels, each with its own",
     "package P constant Real b=4; model F Real d=b; end F; model E extends F; end E;\n"
     "model C extends E; Real b=50; Real e=b; end C; model B extends C; end B; end P;\n"
     "model M P.B x; Real y=x.d+x.e; end M;\n",
     "y", 1, 54, 1e-9},
    {"a member that the base inherits",
     "package P constant Real b=4; model A parameter Real b=11; end A; model F extends A;\n"
     "Real d=b; end F; model B extends F; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 11, 1e-9},
    {"a redeclared component",
     "package P constant Real b=4; model F replaceable parameter Real b=11; Real d=b;\n"
     "end F; model B extends F(redeclare parameter Real b=12); end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 12, 1e-9},
    {"a redeclared component, as an element",
     "package P constant Real b=4; model F replaceable parameter Real b=11; Real d=b;\n"
     "end F; model B extends F; redeclare parameter Real b=12; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 12, 1e-9},
    {"the size of what is redeclared",
     "package P constant Integer n=3; model F replaceable Real b[n]=ones(n);\n"
     "Real d=sum(b); end F; model B extends F; redeclare Real b=ones(3);\n"
     "constant Integer n=5; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 3, 1e-9},
    {"a redeclared class",
     "package P model T Real v=4; end T; model F replaceable model X=T; X t; Real d=t.v;\n"
     "end F; model T2 Real v=40; end T2; model B extends F(redeclare model X=T2);\n"
     "model T Real v=1000; end T; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 40, 1e-9},
    {"a constant of a package",
     "package Top constant Real b=4; package P1 constant Real k=b; end P1;\n"
     "package P2 extends P1; constant Real b=100; end P2; end Top;\n"
     "model M Real y=Top.P2.k; end M;\n",
     "y", 1, 4, 1e-9},
    {"a constant that the package changes",
     "package Top package P1 constant Real b=4; constant Real k=b; end P1;\n"
     "package P2 extends P1(b=104);  end P2; end Top; model M Real y=Top.P2.k; end M;\n",
     "y", 1, 104, 1e-9},
    {"a function of a package",
     "package Top constant Real b=4; package P1 function f input Real u; output Real v;\n"
     "algorithm v:=u+b; end f; end P1; package P2 extends P1; constant Real b=100; end P2;\n"
     "end Top; model M Real y=Top.P2.f(1); end M;\n",
     "y", 1, 5, 1e-9},
    {"its constant, changed",
     "package Top package P1 constant Real b=4; function f input Real u; output Real v;\n"
     "algorithm v:=u+b; end f; end P1; package P2 extends P1(b=100); end P2; end Top;\n"
     "model M Real y=Top.P2.f(1); end M;\n",
     "y", 1, 101, 1e-9},
    {"its function, redeclared, and another",
     "package Top function h input Real u; output Real v; algorithm v:=u+4; end h;\n"
     "package P1 replaceable function q input Real u; output Real v; algorithm v:=0;\n"
     "end q; function f input Real u; output Real v; algorithm v:=q(u)+h(0); end f;\n"
     "end P1; package P2 extends P1; redeclare function q input Real u; output Real v;\n"
     "algorithm v:=u+100; end q; function h input Real u; output Real v;\n"
     "algorithm v:=u+1000; end h; end P2; end Top; model M Real y=Top.P2.f(1); end M;\n",
     "y", 1, 105, 1e-9},
    {"a model of a package",
     "package Top constant Real b=4; package P1 model F Real d=b; end F; end P1;\n"
     "package P2 extends P1; constant Real b=100; end P2; end Top; model M Top.P2.F x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"the size of a type",
     "package Top package P1 constant Integer n=2; type V=Real[n]; end P1;\n"
     "package P2 extends P1(n=3); end P2; end Top; model M Top.P2.V x=ones(3);\n"
     "Real y=sum(x); end M;\n",
     "y", 1, 3, 1e-9},
    {"an array for two packages",
     "package P1 constant Real b[2]={1,2}; model F Real a[2]; end F; model G = F(a=b);\n"
     "end P1; package P2 extends P1(b={3,4}); end P2; model M P1.G x1; P2.G x2;\n"
     "Real y=sum(x1.a)+sum(x2.a); end M;\n",
     "y", 1, 10, 1e-9},
    {"a record",
     "package P constant Real b=4; record R Real v=b; end R; record R2 extends R;\n"
     "Real b=100; end R2; end P; model M P.R2 x; Real y=x.v; end M;\n",
     "y", 1, 4, 1e-9},
    {"the constructor of a record",
     "package P constant Real b=4; record R Real v=b; end R; record R0 Real b=100; end R0;\n"
     "record R2 extends R0; extends R; end R2; function f output Real y;\n"
     "protected R2 r=R2(b=7); algorithm y:=r.v; end f; end P; model M Real y=P.f(); end M;\n",
     "y", 1, 4, 1e-9},
    {"the body of a function",
     "package P constant Real b=4; function f input Real u; output Real v;\n"
     "algorithm v:=u+b; end f; function g extends f; input Real b=9; end g; end P;\n"
     "model M Real y=P.g(1); end M;\n",
     "y", 1, 5, 1e-9},
    {"an argument that is not given",
     "package P constant Real b=4; function f0 input Real b; end f0;\n"
     "function f input Real u=b; output Real v; algorithm v:=u+1; end f;\n"
     "function g extends f0; extends f; end g; end P; model M Real y=P.g(70); end M;\n",
     "y", 1, 5, 1e-9},
    {"another name for a function is no scope",
     "package P constant Real b=4; function f input Real b; input Real u=0; output Real v;\n"
     "algorithm v:=u+1; end f; function g = f(u=b); end P; model M Real y=P.g(70); end M;\n",
     "y", 1, 5, 1e-9},
    {"a function of texts",
     "package P constant String b=\"abcd\"; function f input String u; output Integer v;\n"
     "algorithm v:=(if b == \"abcd\" then 4 else 9)+1; end f; function g extends f;\n"
     "input String b=\"123456789\"; end g; end P; model M parameter Integer n=P.g(\"1\");\n"
     "Real y=n; end M;\n",
     "y", 1, 5, 1e-9},
    {"beside an outer component",
     "package P constant Real b=4; model F outer Real w; Real d=w+b; end F;\n"
     "model B extends F; Real b=100; end B; end P; model M inner Real w=0; P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"a class that extends the inherited one",
     "package Q constant Real b=4; package P1 replaceable model F Real d=b; end F; end P1;\n"
     "package P2 extends P1; redeclare model extends F Real b=100; end F; end P2; end Q;\n"
     "model M Q.P2.F x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"twice same",
     "package P model A Real d=1; end A; model B1 extends A; end B1; model B2 extends A;\n"
     "end B2; model C extends B1; extends B2; end C; end P; model M P.C x; Real y=x.d;\n"
     "end M;\n",
     "y", 1, 1, 1e-9},
    {"twice same meaning",
     "package P constant Real b=1; model A parameter Real k=b; end A;\n"
     "model A2 parameter Real k=b; end A2; end P; model C extends P.A; extends P.A2;\n"
     "end C; model M C x; Real y=x.k; end M;\n",
     "y", 1, 1, 1e-9},
    {"a modification of a redeclared class",
     "package P constant Real b=4; model S parameter Real k=0; Real d=k; end S;\n"
     "model H replaceable model X=S; X s; end H; model F H h(redeclare model X=S(k=b));\n"
     "Real d=h.s.d; end F; model B extends F; parameter Real b=100; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"a redeclaration in the extends clause",
     "package P constant Real b=4; model S parameter Real k=0; Real d=k; end S;\n"
     "model F replaceable model X=S; X s; Real d=s.d; end F;\n"
     "model B extends F(redeclare model X=S(k=b)); constant Real b=100; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 100, 1e-9},
    {"a subscript",
     "package P constant Integer i=3; model F Real v[4]={10,20,30,40}; Real d=v[i]; end F;\n"
     "model B extends F; constant Integer i=1; end B; end P; model M P.B x; Real y=x.d;\n"
     "end M;\n",
     "y", 1, 30, 1e-9},
    {"a package, beside a component",
     "package P package K constant Real b=4; end K; model F Real d=K.b; end F;\n"
     "model B extends F; record R Real b=100; end R; R K; end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"an enumeration",
     "package P type E=enumeration(a,b,c); model F Real v[E];\n"
     "equation for e in E loop v[e]=if e==E.b then 2 else 0; end for; end F;\n"
     "model B extends F; Real E=5; end B; end P; model M P.B x;\n"
     "Real y=x.v[P.E.a]+x.v[P.E.b]; end M;\n",
     "y", 1, 2, 1e-9},
    {"enclosing derived",
     "package P constant Real b=4; model F Real d=b; end F; end P;\n"
     "package Q constant Real b=5; model B extends P.F; end B; end Q; model M Q.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"nested fn in base",
     "package P constant Real b=4; model F function g input Real u=b; output Real v;\n"
     "algorithm v:=u+1; end g; Real d=g(); end F; model B extends F; parameter Real b=100;\n"
     "end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 5, 1e-9},
    {"an attribute",
     "package P constant Real b=4; model F Real d(start=b,fixed=true); equation der(d)=0;\n"
     "end F; model B extends F; parameter Real b=100; end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"top level derived",
     "package P constant Real b=4; model F Real d(start=5,fixed=true); equation der(d)=b;\n"
     "end F; end P; model M extends P.F; Real b=100; Real y=d; end M;\n",
     "y", 1, 9, 1e-9},
    {"time",
     "package P model F Real d=time; end F; model B extends F; Real time2=100; end B;\n"
     "end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 1, 1e-9},
    {"builtin function",
     "package P model F Real d=sin(0); end F; model B extends F;\n"
     "function sin input Real u; output Real v; algorithm v:=u+40; end sin; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 0, 1e-9},
    {"own builtin function of a base package",
     "package P function sin input Real u; output Real v; algorithm v:=u+40; end sin;\n"
     "end P; package Q extends P; model F Real d=sin(0); end F; end Q; model M Q.F x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 40, 1e-9},
    {"a result of a function of texts",
     "package P function f input String s; output Integer n=1; algorithm end f;\n"
     "function g extends f(n=2); algorithm end g; end P;\n"
     "model M parameter Integer k=P.g(\"a\"); Real y=k; end M;\n",
     "y", 1, 2, 1e-9},
    {"another name for a package",
     "package Top constant Real b=4; package P1 function f input Real u; output Real v;\n"
     "algorithm v:=u+b; end f; end P1; package P2 = P1;  end Top;\n"
     "package X constant Real b=50; package P3=Top.P2; end X; model M Real y=X.P3.f(1);\n"
     "end M;\n",
     "y", 1, 5, 1e-9},
    {"a package in a package",
     "package Top constant Real b=4; package P1 constant Real c=1;\n"
     "package I model F Real d=b+c; end F; end I; end P1; package P2 extends P1(c=1000);\n"
     "constant Real b=100; end P2; end Top; model M Top.P2.I.F x; Real y=x.d; end M;\n",
     "y", 1, 1004, 1e-9},
    {"an attribute of a type",
     "package P1 constant Real b=1; type T=Real(start=b); end P1;\n"
     "package P2 extends P1(b=3); end P2; model M P2.T x(fixed=true); Real y=x;\n"
     "equation der(x)=0; end M;\n",
     "y", 1, 3, 1e-9},
    {"an attribute of a type, in a model",
     "package P1 constant Real b=1; type T=Real(start=b); model F T x(fixed=true);\n"
     "equation der(x)=0; end F; end P1; package P2 extends P1(b=3); end P2;\n"
     "model M P2.F f; Real y=f.x; end M;\n",
     "y", 1, 3, 1e-9},
    {"an attribute of a type, from around",
     "package Top constant Real b=1; package P1 type T=Real(start=b); end P1;\n"
     "package P2 extends P1; constant Real b=3; end P2; end Top;\n"
     "model M Top.P2.T x(fixed=true); Real y=x; equation der(x)=0; end M;\n",
     "y", 1, 1, 1e-9},
    {"an attribute from an extends clause",
     "package P1 constant Real b=1; type T=Real; end P1;\n"
     "package P2 extends P1(T(start=b)); end P2; package P3 extends P2(b=3); end P3;\n"
     "model M P3.T x(fixed=true); Real y=x; equation der(x)=0; end M;\n",
     "y", 1, 3, 1e-9},
    {"another name for a model, in a package",
     "package P1 constant Real b=1; model A parameter Real k=0; Real d=k; end A;\n"
     "model G=A(k=b); end P1; package P2 extends P1(b=3); end P2; model M P2.G x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 3, 1e-9},
    {"another name for a model, from around",
     "package Top constant Real b=1; package P1 model A parameter Real k=0; Real d=k;\n"
     "end A; model G=A(k=b); end P1; package P2 extends P1; constant Real b=3; end P2;\n"
     "end Top; model M Top.P2.G x; Real y=x.d; end M;\n",
     "y", 1, 1, 1e-9},
    {"a record of a package",
     "package Top constant Real b=1; package P1 record R Real v=b; end R; end P1;\n"
     "package P2 extends P1; constant Real b=3; end P2; end Top; model M Top.P2.R x;\n"
     "Real y=x.v; end M;\n",
     "y", 1, 1, 1e-9},
    {"its constructor",
     "package Top constant Real b=1; package P1 record R Real v=b; Real w=0; end R;\n"
     "end P1; package P2 extends P1; constant Real b=3; end P2; end Top;\n"
     "model M Top.P2.R x=Top.P2.R(w=2); Real y=x.v; end M;\n",
     "y", 1, 1, 1e-9},
    {"an import of a package",
     "package Q constant Real k=2; end Q; package P1 import Q.k; function f output Real y;\n"
     "algorithm y:=k; end f; end P1; package P2 extends P1; constant Real k=5; end P2;\n"
     "model M Real y=P2.f(); end M;\n",
     "y", 1, 2, 1e-9},
    {"replaceable pkg in model",
     "package Med constant Real c=1; function f output Real y; algorithm y:=c+g(); end f;\n"
     "replaceable function g output Real y; algorithm y:=0; end g; end Med;\n"
     "package Med2 extends Med(c=2); redeclare function extends g algorithm y:=5; end g;\n"
     "end Med2; package P constant Real c=100; model F replaceable package M=Med;\n"
     "Real d=M.f(); end F; model B extends F(redeclare package M=Med2);\n"
     "constant Real c=1000; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 7, 1e-9},
    {"const lexical in derived pkg nested model",
     "package A constant Real q=5; package P1 partial model Base Real d; equation d=q;\n"
     "end Base; end P1; package P2 extends P1; constant Real q=50; model D extends Base;\n"
     "parameter Real q=500; end D; end P2; end A; model M A.P2.D x; Real y=x.d; end M;\n",
     "y", 1, 5, 1e-9},
    {"reinit",
     "package P constant Real b=4; model F Real d(start=0,fixed=true); equation der(d)=0;\n"
     "when time>0.5 then reinit(d,b); end when; end F; model B extends F; Real b=100;\n"
     "end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"an if-equation",
     "package P constant Boolean c=true; model F Real d; equation if c then d=4; else d=5;\n"
     "end if; end F; model B extends F; parameter Boolean c=false; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"assert",
     "package P constant Boolean c=true; model F Real d=4; equation assert(c,\"no\");\n"
     "end F; model B extends F; parameter Boolean c=false; end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"an array for an array of models",
     "package P constant Real b[3]={3,4,5}; model S parameter Real k=0; Real d=k; end S;\n"
     "model F S s[3](k=b); Real d=sum(s.d); end F; model B extends F;\n"
     "parameter Real b[3]={1,1,1}; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 12, 1e-9},
    {"a function as an argument",
     "package P partial function pf input Real u; output Real v; end pf;\n"
     "function q extends pf; algorithm v:=u*2; end q; function ap input pf f;\n"
     "input Real u; output Real v; algorithm v:=f(u); end ap;\n"
     "model F Real d=ap(function q(),3); end F; model B extends F; function q extends pf;\n"
     "algorithm v:=u*20; end q; Real ap=7; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 6, 1e-9},
    {"a condition of a when",
     "package P constant Real t=0.5; model F discrete Real d(start=0,fixed=true);\n"
     "algorithm when time>t then d:=4; end when; end F; model B extends F;\n"
     "parameter Real t=50; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"wildcard import builtin",
     "package Q function sin input Real u; output Real v; algorithm v:=u+40; end sin;\n"
     "end Q; package P model F import Q.*; Real d=sin(0); end F; end P; model M P.F x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 40, 1e-9},
    {"attributes",
     "package P constant Real b=4; model F Real d(start=b, fixed=true, nominal=b);\n"
     "parameter Real q(min=b)=5; equation der(d)=0; end F; model B extends F;\n"
     "parameter Real b=100; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"component of base class type nested",
     "package P constant Real b=4; model F model S Real d=b; end S; S s; Real d=s.d;\n"
     "end F; model B extends F; constant Real b=100; end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"nested class const in base",
     "package P constant Real b=4; model F constant Real b=11; model S Real d=b; end S;\n"
     "S s; Real d=s.d; end F; model B extends F; end B; end P; model M P.B x; Real y=x.d;\n"
     "end M;\n",
     "y", 1, 11, 1e-9},
    {"nested class const in base modified",
     "package P constant Real b=4; model F constant Real b=11; model S Real d=b; end S;\n"
     "S s; Real d=s.d; end F; model B extends F(b=12); end B; end P; model M P.B x;\n"
     "Real y=x.d; end M;\n",
     "y", 1, 12, 1e-9},
    {"protected default by base",
     "package P constant Real b=4; block F output Real d; protected parameter Real k=b;\n"
     "equation d=k; end F; block B extends F; protected parameter Real b=100; end B;\n"
     "end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"multi members",
     "model A parameter Real b=2; Real d=b; end A; model C parameter Real b=2; Real e=b;\n"
     "end C; model B extends A(b=4.5); extends C(b=4.5); end B; model M B x;\n"
     "Real y=x.d+x.e; end M;\n",
     "y", 1, 9, 1e-9},
    {"a function of a model sees its constants",
     "package P constant Real a=1; model F constant Real a=42; function f output Real v;\n"
     "algorithm v:=a; end f; Real d=f(); end F; model B extends F(a=237); end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 237, 1e-9},
    {"an import under another name",
     "package Q constant Real b=1; constant Real d=36; end Q; package P constant Real b=7;\n"
     "model F import b=Q.d; Real d=b; end F; model B extends F; Real b=9; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 36, 1e-9},
    {"packages that are inherited with what is in them",
     "package A constant Real c=1; package P model F Real d=c; end F; end P;\n"
     "package Q extends P; constant Real c=70; end Q; end A; package B extends A(c=5);\n"
     "end B; model M B.Q.F x; Real y=x.d; end M;\n",
     "y", 1, 5, 1e-9},
    {"the package itself, by its name",
     "package A constant Real c=1; model F Real d=c; end F; model G extends A.F; Real e=c;\n"
     "end G; end A; package B extends A(c=3); end B; model M B.G x; Real y=x.d+x.e; end M;\n",
     "y", 1, 4, 1e-9},
    {"component modifier on const nested model",
     "package P model F constant Real a=42; model S Real v=a; end S; S s; Real d=s.v;\n"
     "end F; end P; model M P.F x(a=5); Real y=x.d; end M;\n",
     "y", 1, 5, 1e-9},
    {"constrainedby mod base scope",
     "package P constant Real b=4; model S parameter Real k=0; end S; model S2 extends S;\n"
     "Real z=1; end S2; model F replaceable S t constrainedby S(k=b); Real d=t.k; end F;\n"
     "model B extends F(redeclare S2 t); parameter Real b=100; end B; end P;\n"
     "model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 4, 1e-9},
    {"record const in heirs ctor",
     "package P1 constant Real b=1; record R Real v=b; Real w=0; end R;\n"
     "function mk output R r; algorithm r:=R(w=1); end mk; end P1;\n"
     "package P2 extends P1(b=3); end P2; model M P2.R x=P2.mk(); Real y=x.v; end M;\n",
     "y", 1, 3, 1e-9},
    {"function output size from base",
     "package P constant Integer n=3; function f output Real v[n]; algorithm v:=ones(n);\n"
     "end f; function g extends f; input Integer n=7; end g; end P;\n"
     "model M Real y=sum(P.g()); end M;\n",
     "y", 1, 3, 1e-9},
    {"function colon size",
     "package P constant Integer n=3; function f output Real s; protected Real v[:];\n"
     "algorithm v:=ones(n); s:=sum(v); end f; function g extends f; input Integer n=7;\n"
     "end g; end P; model M Real y=P.g(); end M;\n",
     "y", 1, 3, 1e-9},
    {"functional default",
     "package P constant Real b=4; function f input Real u=b; input Real w=u;\n"
     "output Real v; algorithm v:=u+w; end f; function g extends f; input Real b=70;\n"
     "end g; end P; model M Real y=P.g(); end M;\n",
     "y", 1, 8, 1e-9},
    {"three levels redeclare class uses base scope",
     "package Q constant Real b=1; partial model I Real v; end I;\n"
     "model J extends I(v=b+5); end J; model F replaceable model X=J constrainedby I; X s;\n"
     "Real d=s.v; end F; end Q; package R constant Real b=100; model G extends Q.F;\n"
     "constant Real b=1000; end G; end R; model M R.G x; Real y=x.d; end M;\n",
     "y", 1, 6, 1e-9},
    {"diamond with modification by both via same",
     "package P model A parameter Real k=1; Real d=k; end A; model B1 extends A(k=7);\n"
     "end B1; model B2 extends B1; end B2; model C extends B1; extends B2; end C; end P;\n"
     "model M P.C x; Real y=x.d; end M;\n",
     "y", 1, 7, 1e-9},
    {"import star in base",
     "package Q constant Real k=2; end Q; package P model F import Q.*; Real d=k; end F;\n"
     "model B extends F; Real k=9; end B; end P; model M P.B x; Real y=x.d; end M;\n",
     "y", 1, 2, 1e-9},
    {"package alias with mod and new",
     "package T constant Real c=1; package P constant Real k=2; function f output Real v;\n"
     "algorithm v:=c+k; end f; end P; package Q=P(k=4); end T;\n"
     "package U constant Real c=50; package W extends T.Q; constant Real c=500; end W;\n"
     "end U; model M Real y=U.W.f(); end M;\n",
     "y", 1, 5, 1e-9},
};

TEST(names_of_a_base)
{
    CHECK_ALL(scopes);
}

TEST(what_has_no_single_meaning_is_refused)
{
    check_refused(
        "package P model A parameter Real k=1; Real d=k; end A; model B1 extends A(k=2);\n"
        "end B1; model B2 extends A(k=3); end B2; model C extends B1; extends B2; end C;\n"
        "end P; model M P.C x; Real y=x.d; end M;\n",
        "is inherited twice");
    check_refused("package P constant Real b=1; model A parameter Real k=b; end A; end P;\n"
                  "package Q constant Real b=2; model A parameter Real k=b; end A; end Q;\n"
                  "model C extends P.A; extends Q.A; end C; model M C x; Real y=x.k; end M;\n",
                  "is inherited twice");
    check_refused(
        "package P model F Real d=b; end F; model B extends F; Real b=100; end B; end P;\n"
        "model M P.B x; Real y=x.d; end M;\n",
        "which does not see the 'b' that 'B' adds");
    check_refused(
        "package P connector C Real e; flow Real f; end C; model F C p;\n"
        "equation connect(p,q); end F; model B extends F; C q; end B; end P; model M P.B x;\n"
        "Real y=1; end M;\n",
        "which does not see the 'q' that 'B' adds");
    check_refused(
        "model A parameter Real b=2; Real d=b; end A; model C parameter Real b=2; Real e=b;\n"
        "end C; model B extends A(b=4.5); extends C; end B; model M B x; Real y=x.d+x.e;\n"
        "end M;\n",
        "is inherited twice");
    check_refused(
        "package P1 model T Real v=1; end T; end P1; package P2 model T Real v=2; end T;\n"
        "end P2; package Q extends P1; extends P2; end Q; model M Q.T x; Real y=x.v; end M;\n",
        "inherits two different classes 'T'");
    check_refused(
        "model F constant Real a = 42; function f output Real v; algorithm v := a; end f;\n"
        "Real d = f(); end F; model M F x(a = 5); end M;\n",
        "whose constant 'a' has another value in 'x'");
}

TEST_MAIN(TEST_ENTRY(names_of_a_base), TEST_ENTRY(what_has_no_single_meaning_is_refused))
