/// Tables in texts, without the library.
#ifndef TEST_TABLES_H
#define TEST_TABLES_H

// The parts of the library's text that the tables need.
static const char types[] =
    "type Smooth = enumeration(LinearSegments, ContinuousDerivative, ConstantSegments,\n"
    "  Monotone1, Monotone2, Modified);\n"
    "type Extra = enumeration(HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation);\n"
    "type Events = enumeration(Always, AtDiscontinuities, NoTimeEvents);\n"
    "class T1 extends ExternalObject; function constructor input String tableName;\n"
    "  input String fileName; input Real table[:, :]; input Integer columns[:];\n"
    "  input Smooth smoothness; input Extra extrapolation; output T1 t; external \"C\"\n"
    "  t = ModelicaStandardTables_CombiTable1D_init2(table); end constructor;\n"
    "  function destructor input T1 t; external \"C\" nothing(t); end destructor; end T1;\n"
    "function get1 input T1 t; input Integer icol; input Real u; output Real y; external \"C\"\n"
    "  y = ModelicaStandardTables_CombiTable1D_getValue(t, icol, u); end get1;\n"
    "class T0 extends ExternalObject; function constructor input String tableName;\n"
    "  input String fileName; input Real table[:, :]; input Real startTime;\n"
    "  input Integer columns[:]; input Smooth smoothness; input Extra extrapolation;\n"
    "  input Real shiftTime = 0; input Events timeEvents = Events.Always; output T0 t;\n"
    "  external \"C\" t = ModelicaStandardTables_CombiTimeTable_init2(table); end constructor;\n"
    "  function destructor input T0 t; external \"C\" nothing(t); end destructor; end T0;\n"
    "function get0 input T0 t; input Integer icol; input Real u; input Real next; input Real was;\n"
    "  output Real y; external \"C\"\n"
    "  y = ModelicaStandardTables_CombiTimeTable_getValue(t, icol, u, next, was); end get0;\n"
    "function next0 input T0 t; input Real u; output Real y; external \"C\"\n"
    "  y = ModelicaStandardTables_CombiTimeTable_nextTimeEvent(t, u); end next0;\n"
    "function rate1 input T1 t; input Integer icol; input Real u; input Real du; output Real y;\n"
    "  external \"C\" y = ModelicaStandardTables_CombiTable1D_getDerValue(t, icol, u, du);\n"
    "end rate1;\n"
    "class T2 extends ExternalObject; function constructor input String tableName;\n"
    "  input String fileName; input Real table[:, :]; input Smooth smoothness;\n"
    "  input Extra extrapolation; output T2 t; external \"C\"\n"
    "  t = ModelicaStandardTables_CombiTable2D_init2(table); end constructor;\n"
    "  function destructor input T2 t; external \"C\" nothing(t); end destructor; end T2;\n"
    "function get2 input T2 t; input Real u; input Real v; output Real y; external \"C\"\n"
    "  y = ModelicaStandardTables_CombiTable2D_getValue(t, u, v); end get2;\n"
    "function rate2 input T2 t; input Real u; input Real v; input Real du; input Real dv;\n"
    "  output Real y; external \"C\"\n"
    "  y = ModelicaStandardTables_CombiTable2D_getDerValue(t, u, v, du, dv); end rate2;\n";

#endif
