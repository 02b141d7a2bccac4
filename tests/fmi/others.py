"""A unit validated and simulated by FMPy: others.py unit.fmu me|cs rows.csv"""
import csv
import sys

import fmpy
from fmpy.validation import validate_fmu

unit, kind, rows = sys.argv[1:4]
problems = validate_fmu(unit)
if problems:
    sys.exit("validation: " + "; ".join(problems))
about = fmpy.read_model_description(unit)
experiment = about.defaultExperiment
interval = float(experiment.stepSize)
result = fmpy.simulate_fmu(
    unit,
    fmi_type="ModelExchange" if kind == "me" else "CoSimulation",
    solver="Euler",
    step_size=interval / 20,
    output_interval=interval,
)
with open(rows, "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(result.dtype.names)
    for row in result:
        writer.writerow(format(float(value), ".17g") for value in row)
