"""A unit validated and simulated by FMPy, in one go and with its state carried to another instance as bytes:

    others.py unit.fmu me|cs rows.csv      validation, and rows
    others.py unit.fmu state               a run in Co-Simulation that is cut in its middle ends as the whole one
    others.py unit.fmu events rows.csv     Co-Simulation of FMI 3 with event mode and early return
"""
import csv
import sys

import fmpy
from fmpy.validation import validate_fmu

unit, kind = sys.argv[1:3]
about = fmpy.read_model_description(unit)
experiment = about.defaultExperiment
interval = float(experiment.stepSize)
start, stop = float(experiment.startTime), float(experiment.stopTime)


def write(result, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(result.dtype.names)
        for row in result:
            writer.writerow(format(float(value), ".17g") for value in row)


def check_state():
    folder = fmpy.extract(unit)
    settings = dict(fmi_type="CoSimulation", output_interval=interval, stop_time=stop, set_stop_time=True)
    whole = fmpy.simulate_fmu(unit, **settings)
    middle = start + interval * round(0.4 * (stop - start) / interval)
    one = fmpy.instantiate_fmu(folder, about, "CoSimulation")
    two = fmpy.instantiate_fmu(folder, about, "CoSimulation")
    if about.fmiVersion == "2.0":
        one.setupExperiment(startTime=start, stopTime=stop)
        one.enterInitializationMode()
    else:
        one.enterInitializationMode(startTime=start, stopTime=stop)
    one.exitInitializationMode()
    steps = round((middle - start) / interval)
    for i in range(steps):
        one.doStep(start + i * interval, interval)
    if about.fmiVersion == "2.0":
        data = one.serializeFMUstate(one.getFMUstate())
        two.setFMUstate(two.deSerializeFMUstate(data))
    else:
        data = one.serializeFMUState(one.getFMUState())
        two.setFMUState(two.deserializeFMUState(data))
    outputs = [v for v in about.modelVariables if v.causality == "output" and v.type in ("Real", "Float64")]
    references = [v.valueReference for v in outputs]
    get = (lambda u: u.getReal(references)) if about.fmiVersion == "2.0" else (lambda u: u.getFloat64(references))
    if list(get(one)) != list(get(two)):
        sys.exit("the outputs of the second instance are others")
    for i in range(steps, min(steps + 20, len(whole) - 2)):
        one.doStep(start + i * interval, interval)
        two.doStep(start + i * interval, interval)
        if list(get(one)) != list(get(two)):
            sys.exit(f"the second instance goes another way at step {i}")
    print(f"{len(data)} bytes")


if kind == "state":
    check_state()
elif kind == "events":
    write(fmpy.simulate_fmu(unit, fmi_type="CoSimulation", output_interval=interval, use_event_mode=True,
                            early_return_allowed=True), sys.argv[3])
else:
    problems = validate_fmu(unit)
    if problems:
        sys.exit("validation: " + "; ".join(problems))
    result = fmpy.simulate_fmu(
        unit,
        fmi_type="ModelExchange" if kind == "me" else "CoSimulation",
        solver="Euler",
        step_size=interval / 20,
        output_interval=interval,
    )
    write(result, sys.argv[3])
