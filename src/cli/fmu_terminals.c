// Power ports as terminals. The two variables of a port are an effort and a flow whose product is
// the power into the unit. FMI knows variables that sum to zero at a connection ("inflow") and
// those that are equal ("signal"); as in Modelica's mechanics, the force sums and the velocity is
// equal.
#include "cli/fmu_terminals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
const unsigned char fmu_icon[127] = {
    0x89,0x50,0x4e,0x47,0x0d,0x0a,0x1a,0x0a,0x00,0x00,0x00,0x0d,0x49,0x48,0x44,0x52,0x00,0x00,0x00,0x40,0x00,0x00,
    0x00,0x40,0x01,0x00,0x00,0x00,0x00,0x82,0x12,0x4c,0x73,0x00,0x00,0x00,0x46,0x49,0x44,0x41,0x54,0x78,0xda,0x63,
    0xf8,0x0f,0x05,0x0c,0xa4,0x32,0xfe,0xd8,0x53,0x81,0xf1,0x87,0x01,0x0c,0xec,0xf1,0x31,0xfe,0xdb,0x83,0x14,0xff,
    0xf9,0x4f,0x3a,0x83,0xc1,0x1e,0x99,0xf1,0x81,0x11,0xc4,0x68,0xe0,0x47,0x65,0xd8,0xff,0xa7,0x9c,0x41,0xad,0xd0,
    0xf8,0x0f,0x72,0x17,0x41,0x06,0xb5,0xec,0x3a,0xc0,0xc0,0xc0,0x4c,0x88,0x41,0x30,0x25,0x00,0x00,0x19,0x1c,0x8c,
    0x46,0xe2,0xd2,0xaf,0x6d,0x00,0x00,0x00,0x00,0x49,0x45,0x4e,0x44,0xae,0x42,0x60,0x82};
// clang-format on

const char fmu_icon_drawn[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">\n"
    "<path d=\"M6 14h52v4H6zM8 18h2v8H8zM54 18h2v8h-2zM4 26h11v10H4zM49 26h11v10H49z"
    "M30 6h4v50h-4zM18 56h28v4H18zM34 24h8v4h-8zM22 44h8v4h-8z\"/>\n</svg>\n";

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < 32 ? ' ' : *text, out);
        }
}

// Whether the output is there; `kind` is "flow" or "effort".
static bool answers(fo_system system, const char *port, const char *kind, char *name, size_t size)
{
    fo_reference found;
    return snprintf(name, size, "%s.%s", port, kind) < (int)size &&
           fo_system_find(system, name, &found, NULL) == FO_OK && found.quantity == FO_OUTPUT;
}

static void put_member(FILE *out, const char *variable, const char *member)
{
    fputs("      <TerminalMemberVariable variableName=\"", out);
    put_text(out, variable);
    fprintf(out, "\" memberName=\"%s\" variableKind=\"%s\"/>\n", member,
            strcmp(member, "effort") == 0 ? "inflow" : "signal");
}

static void put_terminals(FILE *out, fo_system system)
{
    bool any = false;
    char port[512], other[540];
    for (uint32_t i = 0; i < fo_system_shape(system).inputs; i++) {
        fo_system_name(system, (fo_reference){FO_INPUT, i}, port, sizeof port);
        bool effort = answers(system, port, "flow", other, sizeof other);
        if (!effort && !answers(system, port, "effort", other, sizeof other)) continue;
        if (!any) fputs("  <Terminals>\n", out);
        any = true;
        fputs("    <Terminal name=\"", out);
        put_text(out, port);
        fputs("\" matchingRule=\"plug\" terminalKind=\"org.foliot.power\" description=\"effort "
              "times flow is the power into the unit\">\n",
              out);
        put_member(out, port, effort ? "effort" : "flow");
        put_member(out, other, effort ? "flow" : "effort");
        fputs("    </Terminal>\n", out);
    }
    if (any) fputs("  </Terminals>\n", out);
}

char *fmu_terminals(fo_system system)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n"
          "  <GraphicalRepresentation>\n    <CoordinateSystem x1=\"-100\" y1=\"-100\" x2=\"100\" "
          "y2=\"100\" suggestedScalingFactorTo_mm=\"0.1\"/>\n"
          "    <Icon x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"/>\n"
          "  </GraphicalRepresentation>\n",
          out);
    put_terminals(out, system);
    fputs("</fmiTerminalsAndIcons>\n", out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
