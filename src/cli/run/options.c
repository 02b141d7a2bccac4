// The options of foliot run.
#include <stddef.h>

#include "cli/own_nodes.h"
#include "cli/run/limit.h"
#include "cli/run/run.h"

#define AT(member) offsetof(run_options, member)
const option run_table[] = {
    {"stop", 0, "T", OPTION_NUMBER, AT(stop), "simulate until time T [s]; default: the model's"},
    {"solver", 0, "NAME", OPTION_TEXT, AT(solver),
     "a name from 'foliot solvers'; default: chosen for the model"},
    {"step", 0, "H", OPTION_POSITIVE, AT(step), "step of solvers with fixed steps [s]"},
    {"rtol", 0, "R", OPTION_POSITIVE, AT(rtol), "error allowed relative to the states"},
    {"atol", 0, "A", OPTION_POSITIVE, AT(atol), "error allowed absolutely"},
    {"first-step", 0, "H", OPTION_POSITIVE, AT(first_step),
     "first step of solvers with adaptive steps [s]"},
    {"max-step", 0, "H", OPTION_POSITIVE, AT(max_step), "longest step of those [s]"},
    {"max-steps", 0, "N", OPTION_COUNT, AT(max_steps), "end the run with an error after N steps"},
    {"substeps", 0, "N", OPTION_COUNT, AT(substeps), "sliding-implicit: substeps in a step",
     OPTION_FROM_TO(0, UINT32_MAX)},
    {"epsilon", 0, "E", OPTION_NOT_NEGATIVE, AT(epsilon),
     "sliding-implicit and spsm: their epsilon [s]; default: the substep, of spsm MU / 100"},
    {"dae", 0, "WAY", OPTION_TEXT, AT(dae),
     "how a text's hidden constraints are kept: reduce (by index reduction, to rounding) or spsm "
     "(by sliding manifolds, to which the solution returns); default: reduce"},
    {"mu", 0, "MU", OPTION_POSITIVE, AT(mu),
     "of spsm, the time in which the solution returns to a constraint [s]; default: a thousandth "
     "of the model's run"},
    {"no-rest", 0, NULL, OPTION_FLAG, AT(no_rest),
     "end with an error where moments accumulate or the solution slides along a guard's zero"},
    {"set", 0, "NAME=VALUE", OPTION_SETTING, AT(set),
     "set a number of the model, as 'foliot show' lists them; may be repeated"},
    {"start", 0, "NAME=VALUE", OPTION_SETTING, AT(start),
     "start a state or discrete at a value; may be repeated"},
    {"seed", 0, "N", OPTION_COUNT, AT(seed), "seed of the random numbers"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "write the signals: *.csv, *.json or *.mat (as Modelica tools do); '-' is CSV on standard "
     "output"},
    {"units", 0, NULL, OPTION_FLAG, AT(units), "CSV: with units in a second header row"},
    {"events", 0, "FILE", OPTION_TEXT, AT(events),
     "write the moments, and what processes and entities do, as CSV; as JSON lines to a file "
     "*.jsonl"},
    {"events-in", 0, "FILE", OPTION_TEXT, AT(events_in),
     "what comes from outside, as CSV: time,name,value; names are the model's events, or what is "
     "set"},
    {"input", 0, "FILE", OPTION_TEXT, AT(input),
     "inputs of the model over time: a column 'time' and one for each input, in *.csv, *.json or "
     "*.mat; linear between rows, a jump where two rows have one time"},
    {"interval", 0, "D", OPTION_NOT_NEGATIVE, AT(interval),
     "distance of the rows [s]; 0: every step; default: the model's"},
    {"signals", 0, "A,B,C", OPTION_TEXT, AT(signals),
     "write these signals, also by pattern: 'pin*.v'; default: states, discretes and outputs; of "
     "fields the outputs"},
    {"share", 0, "NAME", OPTION_TEXT, AT(share),
     "let other processes look on: 'foliot watch NAME'"},
    {"moments", 0, NULL, OPTION_FLAG, AT(moments),
     "list the moments, one in a line; default: how many of each, the first and the last"},
    {"plot", 0, "[=A,B,X:Y]", OPTION_MAYBE_TEXT, AT(plot),
     "plot in the terminal, these signals or the model's usual ones, X:Y is Y over X; default: on "
     "a terminal, when there is no --output"},
    {"program", 0, "WAY", OPTION_TEXT, AT(program),
     "how a text or diagram is run: machine (machine code made at once), native (C through cc), "
     "bytecode, or auto: machine, and where there is none bytecode, then native if the run is "
     "long; "
     "a diagram also node by node: nodes; default: auto"},
    {"native", 0, NULL, OPTION_FLAG, AT(native), "the same as --program native"},
    OPTION_OWN_NODES,
    {"type", 0, "TYPE", OPTION_TEXT, AT(type),
     "how an FMU is run: me (Model Exchange), cs (Co-Simulation) or se (Scheduled Execution); "
     "default: the first of them that it has"},
    {"event-mode", 0, NULL, OPTION_FLAG, AT(event_mode),
     "Co-Simulation of an FMU 3.0: its events inside of a step are handled where they happen"},
    {"text", 0, "NAME=VALUE", OPTION_TEXTS, AT(texts),
     "a string of an FMU, or a binary as hexadecimal digits; may be repeated"},
    {"no-units", 0, NULL, OPTION_FLAG, AT(no_units),
     "Modelica: accept equations whose sides have different units"},
    {"allow-external", 0, NULL, OPTION_FLAG, AT(allow_external),
     "Modelica: compile external C of the text with cc and run it in this process; it can do "
     "whatever you can"},
    {"in-process", 0, NULL, OPTION_FLAG, AT(in_process),
     "run an FMU that is trusted in this process, not in one of its own"},
    {"gnuplot", 0, "PATH", OPTION_TEXT, AT(gnuplot),
     "write PATH.dat and the script PATH.gp of the plot, of the model's own picture, or of a field "
     "as surface and map, and draw PATH.png where gnuplot is there; *.svg, *.pdf and *.png say "
     "which"},
    {"size", 0, "WxH", OPTION_TEXT, AT(size),
     "of that picture in dots, of a PDF in 0.1 mm; default: 800x500, 1600x1000"},
    {"replications", 0, "N", OPTION_COUNT, AT(replications),
     "run a model with random numbers N times, each with others; the results' means with "
     "intervals; --signals names the results, --output gets those of each run"},
    {"threads", 0, "N", OPTION_COUNT, AT(threads),
     "replications at the same time; default: as many as there are cores", OPTION_FROM_TO(0, 1024)},
    {"files", 0, "DIR", OPTION_TEXT, AT(files),
     "diagrams: the folder in which nodes read and write files; default: the present one"},
    {"overwrite", 0, NULL, OPTION_FLAG, AT(overwrite),
     "replace files that are there and are not what this command or a node of the diagram writes"},
    {"memory", 0, "SIZE", OPTION_TEXT, AT(memory), LIMIT_ABOUT},
    {"checkpoint", 0, "FILE", OPTION_TEXT, AT(keep.checkpoint),
     "write a checkpoint at the end and where Ctrl-C or SIGTERM ends the run; not with --input, "
     "nor for processes, nor for diagrams that write files"},
    {"every", 0, "T", OPTION_POSITIVE, AT(keep.every),
     "and every T simulated seconds; mpirun: every T steps"},
    {"restart", 0, "FILE", OPTION_TEXT, AT(keep.restart),
     "go on from a checkpoint of the same run, with the same options: the files of --output and "
     "--events go on, too, and the figures at the end are those of the whole run, while --plot, "
     "--gnuplot and --moments begin there; all numbers have the bits of the uninterrupted run, "
     "with solvers of SUNDIALS its tolerance"},
    {"parts", 0, "XxYxZ", OPTION_TEXT, AT(ranks.parts),
     "mpirun: cut a field so; default: so that little is exchanged"},
    {"balance", 0, "N", OPTION_COUNT, AT(ranks.balance),
     "mpirun: move the cuts every N steps by the time that the ranks need; 0: never; default: 200",
     OPTION_FROM_TO(0, UINT32_MAX)},
    {"patience", 0, "S", OPTION_POSITIVE, AT(ranks.patience),
     "mpirun: the longest wait for another rank [s]; default: 60"},
    {"no-plot", 0, NULL, OPTION_FLAG, AT(no_plot), "no plot"},
    {"ascii", 0, NULL, OPTION_FLAG, AT(ascii), "plot without Unicode"},
    {"json", 0, NULL, OPTION_FLAG, AT(json),
     "print how it went as JSON: status, figures, moments, last values, files"},
    {"quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only mistakes, and the plot if --plot"},
    {0}};
