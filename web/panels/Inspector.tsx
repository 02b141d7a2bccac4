// The right column: the model's numbers, what is plotted, how it is run, and what can be done to it
// while it is live.
import { useComputed, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Live } from "../app/live.ts";
import { follow, type Work } from "../app/work.ts";
import { showNumber } from "../engine/numbers.ts";
import type { Quantity, Signal } from "../engine/protocol.ts";
import { Icon } from "../app/icons.tsx";
import { chooseProgram, program, served } from "../app/state.ts";
import { sparkline } from "../plots/sparkline.ts";
import type { JsonDocument } from "../document/document.ts";
import { isList, isObject } from "../document/json.ts";
import { NumberField, type Ends } from "./NumberField.tsx";
import { useDocument } from "./useDocument.ts";
import { colorOf, type View } from "./view.ts";

const NUMBERS_SHOWN = 40;

/** The ends of a slider that were given by hand: in a document of JSON, of other models in this browser. */
function endsOf(work: Work, document: JsonDocument | undefined, name: string): Ends | undefined {
  const root = document?.root;
  const kept = isObject(root) && isObject(root["sliders"]) ? root["sliders"][name] : undefined;
  const [from, to] = isList(kept) ? kept : [];
  return typeof from === "number" && typeof to === "number" ? [from, to] : work.ends.value[name];
}
function keepEnds(work: Work, document: JsonDocument | undefined, name: string, ends?: Ends): void {
  if (!document || work.ends.peek()[name]) work.setEnds(name, document ? undefined : ends);
  document?.change("ends of a slider", (draft) => {
    const all = draft.at(["sliders"]);
    const others = Object.entries(isObject(all) ? all : {}).filter(([of]) => of !== name);
    const now = ends ? [...others, [name, ends] as const] : others;
    draft.set([], "sliders", now.length ? Object.fromEntries(now) : undefined);
  });
}

interface ParameterProps {
  readonly work: Work;
  readonly live: Live | undefined;
  readonly document: JsonDocument | undefined;
  readonly of: Quantity;
}

function Parameter({ work, live, document, of }: ParameterProps) {
  const usual = work.usual(of);
  const value = work.settings.value[of.name] ?? usual ?? NaN;
  const take = async (next: number): Promise<string | undefined> => {
    const refused = live && (await live.set(of.name, next));
    return refused ?? (await work.set(of.name, next));
  };
  if (of.type === "boolean")
    return (
      <div class={usual !== undefined && usual !== value ? "row changed" : "row"}>
        <label for={`number-${of.name}`} title={of.about}>
          {of.name}
        </label>
        <input
          id={`number-${of.name}`}
          type="checkbox"
          checked={value !== 0}
          onChange={(event) => void take(event.currentTarget.checked ? 1 : 0)}
        />
      </div>
    );
  return (
    <NumberField
      id={`number-${of.name}`}
      label={of.name}
      unit={of.unit}
      about={of.about}
      value={value}
      usual={usual}
      min={of.min ?? undefined}
      max={of.max ?? undefined}
      slider
      ends={endsOf(work, document, of.name)}
      onEnds={(ends) => keepEnds(work, document, of.name, ends)}
      whole={of.type === "integer"}
      onChange={take}
    />
  );
}

function Parameters({ work, live }: { work: Work; live: Live | undefined }) {
  const all = useSignal(false);
  const { document, why } = useDocument(work);
  const isJson = work.fileName.endsWith(".json") && work.text.value !== null && !why;
  // what is sent while it lives has its button there
  const sent = new Set(work.description.value?.events.map(({ name }) => name));
  const numbers = (work.description.value?.numbers ?? []).filter(({ name }) => !sent.has(name));
  if (!numbers.length) return null;
  const seen = all.value ? numbers : numbers.slice(0, NUMBERS_SHOWN);
  const changed = Object.keys(work.settings.value).length;
  return (
    <section aria-labelledby="parameters">
      <h2 id="parameters">
        Parameters
        {changed > 0 && (
          <button class="quiet" onClick={() => void work.reset()}>
            <Icon name="reset" /> Reset {changed}
          </button>
        )}
      </h2>
      {seen.map((of) => (
        <Parameter
          key={of.name}
          work={work}
          live={live}
          document={isJson ? document : undefined}
          of={of}
        />
      ))}
      {seen.length < numbers.length && (
        <button class="quiet" onClick={() => (all.value = true)}>
          All {numbers.length}
        </button>
      )}
    </section>
  );
}

// ------------------------------------------------------------------------------------------ signals

function SignalRow({ view, of }: { view: View; of: Signal }) {
  const shown = view.shown.value.includes(of.name);
  const value = useComputed(() => view.values.value.get(of.name));
  return (
    <li>
      <label title={of.about}>
        <input
          type="checkbox"
          checked={shown}
          onChange={() => view.toggle(of.name)}
          class={shown ? `s${(colorOf(view, of.name) % 6) + 1}` : ""}
        />
        <span class="name">{of.name}</span>
        {of.unit && <span class="unit">{of.unit}</span>}
      </label>
      <output>{value.value === undefined ? "" : showNumber(value.value)}</output>
    </li>
  );
}

function Signals({ view, signals }: { view: View; signals: readonly Signal[] }) {
  const search = useSignal("");
  const wanted = search.value.toLowerCase();
  const seen = signals.filter(
    ({ name, kind }) => kind !== "input" && name.toLowerCase().includes(wanted),
  );
  if (!signals.length) return null;
  return (
    <section aria-labelledby="signals">
      <h2 id="signals">Signals</h2>
      {signals.length > 12 && (
        <input
          type="search"
          class="full"
          aria-label="Search signals"
          placeholder={`Search ${signals.length} signals`}
          value={search.value}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
      )}
      <ul class="signals">
        {seen.slice(0, 60).map((of) => (
          <SignalRow key={of.name} view={view} of={of} />
        ))}
      </ul>
      {seen.length > 60 && <p class="remark">{seen.length - 60} more: search for them.</p>}
    </section>
  );
}

// --------------------------------------------------------------------------------------------- run

function RunSetup({ work }: { work: Work }) {
  const run = work.description.value?.run;
  if (!run) return null;
  const { stop, rtol, solver, interval, seed } = work.choices.value;
  const choose = (more: object) => {
    work.choices.value = { ...work.choices.value, ...more };
    return undefined;
  };
  return (
    <section aria-labelledby="run-setup">
      <h2 id="run-setup">Run</h2>
      <NumberField
        id="run-stop"
        label="until"
        unit={work.description.value?.time_unit}
        value={stop ?? run.stop}
        usual={run.stop}
        onChange={(value) => choose({ stop: value })}
      />
      <NumberField
        id="run-tolerance"
        label="tolerance"
        value={rtol ?? run.rtol}
        usual={run.rtol}
        onChange={(value) => choose({ rtol: value })}
      />
      <NumberField
        id="run-interval"
        label="a row every"
        unit={work.description.value?.time_unit}
        value={interval ?? run.interval}
        usual={run.interval}
        onChange={(value) => choose({ interval: value })}
      />
      {run.random && (
        <NumberField
          id="run-seed"
          label="seed of the random numbers"
          value={seed ?? 0}
          usual={0}
          whole
          onChange={(value) => choose({ seed: Math.max(0, Math.round(value)) })}
        />
      )}
      <div class="row">
        <label for="run-solver">solver</label>
        <select
          id="run-solver"
          value={solver ?? ""}
          onChange={(event) => choose({ solver: event.currentTarget.value })}
        >
          <option value="">{run.solver ? `${run.solver}, of the model` : "chosen for it"}</option>
          {work.solvers.value.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {served && work.description.value?.how && (
        <div class="row">
          <label for="run-program">computed by</label>
          <select
            id="run-program"
            value={program.value}
            title={work.description.value.how}
            onChange={(event) => void chooseProgram(event.currentTarget.value)}
          >
            <option value="bytecode">bytecode</option>
            <option value="machine">machine code of this machine</option>
          </select>
        </div>
      )}
    </section>
  );
}

// -------------------------------------------------------------------------------------------- live

function Events({ work, live }: { work: Work; live: Live }) {
  const events = work.description.value?.events ?? [];
  const strength = useSignal<Readonly<Record<string, number>>>({});
  if (!events.length) return null;
  return (
    <section aria-labelledby="events">
      <h2 id="events">Touch</h2>
      {events.map(({ name, unit, about }) => (
        <div class="event" key={name}>
          <button
            class="primary"
            title={about}
            onClick={() => void live.send(name, strength.value[name] ?? 1)}
          >
            {name}
          </button>
          <NumberField
            id={`event-${name}`}
            label="with"
            unit={unit}
            value={strength.value[name] ?? 1}
            onChange={(value) => {
              strength.value = { ...strength.value, [name]: value };
              return undefined;
            }}
          />
        </div>
      ))}
    </section>
  );
}

/** What belongs to the energy of a model, in the order in which it is read. */
const ENERGIES: readonly (readonly [string, string])[] = [
  ["kinetic", "kinetic"],
  ["potential", "potential"],
  ["energy", "in all"],
  ["energy_ports", "came in"],
  ["energy_friction", "lost to friction"],
  ["energy_damage", "lost to damage"],
  ["balance", "balance"],
];

function Energy({ view, live }: { view: View; live: Live | undefined }) {
  const known = view.known.value;
  const path = useSignal("");
  useEffect(() => {
    path.value = "";
    if (!live || !known.has("energy")) return;
    let drawn = 0;
    return live.subscribe(() => {
      if (performance.now() - drawn < 100) return;
      drawn = performance.now();
      const { traces, from, to } = live.traces(["energy"]);
      const trace = traces.get("energy");
      if (trace) path.value = sparkline(trace, from, to, 256, 44);
    });
  }, [live, known]);
  if (!known.has("energy")) return null;
  const act = live?.acts.value.find(({ t }) => live.jumpAt("energy", t));
  const latest = live?.latest();
  const value = (name: string) => latest?.get(name) ?? view.values.value.get(name);
  // read with the values of the plots, ten times a second
  follow(view.values.value);
  const rows = ENERGIES.filter(([name]) => known.has(name));
  const unit = known.get("energy")?.unit ?? "";
  return (
    <section aria-labelledby="energy" class="energy">
      <h2 id="energy">Energy</h2>
      {live && (
        <svg viewBox="0 0 256 44" preserveAspectRatio="none" aria-hidden="true">
          <path d={path.value} vector-effect="non-scaling-stroke" />
        </svg>
      )}
      <dl class="figures">
        {rows.map(([name, words]) => (
          <div key={name} data-energy={name} title={known.get(name)?.about}>
            <dt>{words}</dt>
            <dd>
              {showNumber(value(name) ?? NaN, 5)} {unit}
            </dd>
          </div>
        ))}
      </dl>
      {live && act && (
        <p class="remark">
          {act.name} at {showNumber(act.t, 4)} added {showNumber(live.jumpAt("energy", act.t)!, 4)}{" "}
          {unit}
        </p>
      )}
    </section>
  );
}

function Keeping({ live }: { live: Live }) {
  const { load, late, rate, touch, skipped } = live.keeping.value;
  const rows: readonly [string, string][] = [
    ["pictures a second", showNumber(rate, 3)],
    ["load of the engine", `${Math.round(100 * load)} %`],
    ["late, 99 of 100", `${showNumber(late, 2)} ms`],
    ["touch to picture", Number.isNaN(touch) ? "–" : `${showNumber(touch, 2)} ms`],
    ["left out", `${showNumber(skipped, 3)} s`],
  ];
  return (
    <section aria-labelledby="keeping">
      <h2 id="keeping">Keeping time</h2>
      <dl class="figures">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {live.note.value && (
        <p class="remark" role="status">
          {live.note.value}
        </p>
      )}
    </section>
  );
}

export function Inspector(props: {
  work: Work;
  view: View;
  live: Live | undefined;
  /** What the view in the middle has to say about what is selected. */
  slot: RefObject<HTMLDivElement | null>;
  /** The sheet says itself what the model is called and how it is run. */
  isDiagram: boolean;
}) {
  const { work, view, live, slot, isDiagram } = props;
  const description = work.description.value;
  return (
    <aside class="side" aria-label="The model">
      <div class="inspector-place" ref={slot} />
      {description && !isDiagram && (
        <section>
          <h2 class="title">{description.name}</h2>
          {description.about && <p class="remark">{description.about}</p>}
        </section>
      )}
      {live && <Events work={work} live={live} />}
      {(live ?? work.run.value?.done) && <Energy view={view} live={live} />}
      <Parameters work={work} live={live} />
      <Signals view={view} signals={description?.signals ?? []} />
      {!live && !isDiagram && <RunSetup work={work} />}
      {live && <Keeping live={live} />}
    </aside>
  );
}
