// The panel beside the sheet: the parameters of what is selected with their help, and those of the
// sheet when nothing is.
import { render } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import * as commands from "../document/commands.ts";
import { isList, isObject } from "../document/json.ts";
import type { Json, JsonObject } from "../document/json.ts";
import * as actions from "./actions.ts";
import { icons } from "./icons.ts";
import type { IconName } from "./icons.ts";
import { givenKey, valueText } from "./kinds.ts";
import type { ParameterInfo } from "./kinds.ts";
import { colors } from "./menu.ts";
import { paletteMarkup } from "./markup.ts";
import type { Sheet } from "./sheet.ts";
import { wireColor } from "./view.ts";
import type { SheetNode } from "./wiring.ts";

export interface Inspector {
  focus(): void;
  destroy(): void;
}

export function mountInspector(parent: HTMLElement, sheet: Sheet): Inspector {
  const element = document.createElement("div");
  element.className = "inspector";
  parent.append(element);
  let asked = false;
  let gone = false;
  const draw = (): void => {
    asked = false;
    if (!gone) render(<Panel sheet={sheet} />, element);
  };
  // once for all that one command changes
  const stop = sheet.onChange(() => {
    if (!asked) queueMicrotask(draw);
    asked = true;
  });
  draw();
  return {
    focus() {
      draw();
      const field = element.querySelector<HTMLElement>(
        ".fields input, .fields select, .fields textarea",
      );
      field?.focus();
      if (field instanceof HTMLInputElement) field.select();
    },
    destroy() {
      stop();
      gone = true;
      render(null, element);
      element.remove();
    },
  };
}

function Panel({ sheet }: { sheet: Sheet }): JSX.Element {
  const { nodes, notes, wire } = sheet.selection;
  const chosen = actions.chosen(sheet);
  if (nodes.size + notes.size > 1) return <Many sheet={sheet} />;
  if (chosen[0]) return <NodePanel sheet={sheet} node={chosen[0]} key={chosen[0].name} />;
  if (wire) return <WirePanel sheet={sheet} name={wire.key} />;
  return <SheetPanel sheet={sheet} />;
}

function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  );
}
function IconButton(props: {
  icon: IconName;
  label: string;
  run: () => void;
  disabled?: boolean;
}): JSX.Element {
  const { icon, label, run, disabled } = props;
  return (
    <button
      type="button"
      class="tool"
      title={label}
      aria-label={label}
      onClick={run}
      disabled={disabled ?? false}
    >
      <Icon name={icon} />
    </button>
  );
}
function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

// ----------------------------------------------------------------------------------------- fields

/** A step that fits a number: a tenth of its first digit's place. */
export function stepOf(value: number): number {
  return value === 0 ? 0.1 : 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
}
/** As a number if it is one, else as it is written. */
export function readValue(text: string): Json {
  const trimmed = text.trim();
  return trimmed !== "" && /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed)
    ? Number(trimmed)
    : text;
}
const tidy = (value: number, step: number): number =>
  Number((Math.round(value / (step / 10)) * (step / 10)).toPrecision(12));

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  readonly unit?: string | undefined;
  readonly about?: string | undefined;
  readonly wrong?: string | undefined;
  readonly readonly: boolean;
  readonly range?: readonly [number, number] | undefined;
  /** `gesture`: steps of one drag are undone together. */
  readonly take: (text: string, gesture?: string) => void;
  readonly seal: () => void;
}

function NumberField(props: FieldProps): JSX.Element {
  const { name, value, placeholder, unit, about, range, take, seal } = props;
  const [text, setText] = useState(value);
  const [wrong, setWrong] = useState<string>();
  const from = useRef<{ x: number; value: number; moved: boolean; id: string } | undefined>(
    undefined,
  );
  useEffect(() => setText(value), [value]);
  const shown = wrong ?? props.wrong;
  const number = Number(value === "" ? placeholder : value);
  const scrubs = Number.isFinite(number) && !props.readonly && (value !== "" || placeholder !== "");
  const commit = (): void => {
    setWrong(undefined);
    if (text !== value) take(text);
  };
  const nudge = (by: number): void => {
    if (!scrubs) return;
    take(String(tidy(number + by * stepOf(number), stepOf(number))), `step ${name}`);
  };
  const id = `field-${name.replaceAll(/\W/g, "-")}`;
  return (
    <div class={`field${shown ? " wrong" : ""}${range ? " ranged" : ""}`}>
      <label
        for={id}
        class={scrubs ? "scrubs" : ""}
        title={about}
        onPointerDown={(e) => {
          if (!scrubs) return;
          from.current = {
            x: e.clientX,
            value: number,
            moved: false,
            id: `scrub ${name} ${e.timeStamp}`,
          };
          e.currentTarget.setPointerCapture(e.pointerId);
        }}
        onPointerMove={(e) => {
          const start = from.current;
          if (!start) return;
          const dx = e.clientX - start.x;
          if (!start.moved && Math.abs(dx) < 2) return;
          start.moved = true;
          const step = stepOf(start.value) * (e.shiftKey ? 10 : 1);
          take(String(tidy(start.value + Math.round(dx / 5) * step, step)), start.id);
        }}
        onPointerUp={(e) => {
          if (from.current?.moved) {
            e.preventDefault();
            seal();
          }
          from.current = undefined;
        }}
        onClick={(e) => {
          if (from.current?.moved) e.preventDefault();
        }}
      >
        {name}
        {unit && <span class="unit"> {unit}</span>}
      </label>
      {range && (
        <input
          type="range"
          aria-label={`${name}, slider`}
          min={range[0]}
          max={range[1]}
          step={(range[1] - range[0]) / 200}
          value={Number.isFinite(number) ? number : range[0]}
          disabled={props.readonly}
          onInput={(e) =>
            take(String(Number(Number(e.currentTarget.value).toPrecision(6))), `slide ${name}`)
          }
          onChange={seal}
        />
      )}
      <input
        id={id}
        class="num"
        type="text"
        inputMode="text"
        autocomplete="off"
        spellcheck={false}
        value={text}
        placeholder={placeholder}
        readOnly={props.readonly}
        aria-invalid={shown ? "true" : "false"}
        aria-describedby={shown ? `${id}-why` : undefined}
        onInput={(e) => setText(e.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(e) => {
          if (e.key === "Enter") commit();
          else if (e.key === "Escape") {
            setText(value);
            setWrong(undefined);
          } else if (e.key === "ArrowUp" || e.key === "ArrowDown") {
            nudge((e.key === "ArrowUp" ? 1 : -1) * (e.shiftKey ? 10 : 1));
            e.preventDefault();
          }
        }}
      />
      {shown && (
        <p class="why" id={`${id}-why`}>
          {shown}
        </p>
      )}
    </div>
  );
}

function ChoiceField(props: {
  name: string;
  value: string;
  choices: readonly string[];
  about?: string | undefined;
  readonly: boolean;
  take: (text: string) => void;
}): JSX.Element {
  const { name, value, choices, about, take } = props;
  const id = `field-${name.replaceAll(/\W/g, "-")}`;
  const known = choices.find((c) => c.toLowerCase() === value.toLowerCase()) ?? value;
  return (
    <div class="field">
      <label for={id} title={about}>
        {name}
      </label>
      <select
        id={id}
        value={known}
        disabled={props.readonly}
        onChange={(e) => take(e.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option value={choice} key={choice}>
            {choice}
          </option>
        ))}
      </select>
    </div>
  );
}

function TextField(props: {
  name: string;
  value: string;
  about?: string | undefined;
  readonly: boolean;
  take: (text: string) => void;
}): JSX.Element {
  const { name, value, about, take } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const id = `field-${name.replaceAll(/\W/g, "-")}`;
  return (
    <div class="field tall">
      <label for={id} title={about}>
        {name}
      </label>
      <textarea
        id={id}
        class="code"
        rows={Math.min(16, Math.max(4, text.split("\n").length + 1))}
        spellcheck={false}
        value={text}
        readOnly={props.readonly}
        onInput={(e) => setText(e.currentTarget.value)}
        onBlur={() => {
          if (text !== value) take(text);
        }}
      />
    </div>
  );
}

// ------------------------------------------------------------------------------------------ a node

function setOf(
  sheet: Sheet,
  node: SheetNode,
  info: ParameterInfo,
): (text: string, gesture?: string) => void {
  return (text, gesture) => {
    const key = givenKey(node.data.parameters, info.name) ?? info.name;
    const plain = info.kind === "text" || info.kind === "choice";
    const value: Json | undefined =
      text.trim() === "" && info.kind !== "text"
        ? undefined
        : text === info.value
          ? undefined
          : plain
            ? info.kind === "text" && text.includes("\n")
              ? text.split("\n")
              : text
            : readValue(text);
    sheet.change(
      `${node.name}: ${info.name}`,
      (draft) => commands.setParameter(draft, sheet.level, node.name, key, value),
      gesture === undefined ? undefined : `${node.name} ${gesture}`,
    );
  };
}

function ParameterField({
  sheet,
  node,
  info,
}: {
  sheet: Sheet;
  node: SheetNode;
  info: ParameterInfo;
}): JSX.Element {
  const key = givenKey(node.data.parameters, info.name);
  const given = key === undefined ? undefined : node.data.parameters[key];
  const take = setOf(sheet, node, info);
  const common = { name: info.name, about: info.about, readonly: sheet.readonly };
  if (info.kind === "choice")
    return (
      <ChoiceField
        {...common}
        value={given === undefined ? (info.value ?? "") : valueText(given)}
        choices={(info.choices ?? "").split("|")}
        take={take}
      />
    );
  if (info.name === "Text") {
    const text = isList(given) ? given.map(valueText).join("\n") : valueText(given ?? info.value);
    return <TextField {...common} value={text} take={take} />;
  }
  const fault = sheet.faults.find(
    (f) => f.here && f.node === node.name && f.text.includes(`'${info.name}'`),
  );
  const unit = /\[([^\]]+)\]\s*$/.exec(info.about ?? "")?.[1];
  return (
    <NumberField
      {...common}
      value={given === undefined ? "" : valueText(given)}
      placeholder={info.value ?? ""}
      unit={unit}
      wrong={fault?.text}
      take={take}
      seal={() => sheet.doc.seal()}
    />
  );
}

function NodePanel({ sheet, node }: { sheet: Sheet; node: SheetNode }): JSX.Element {
  const kind = sheet.kinds.find(node.data.type);
  const faults = sheet.faults.filter((f) => f.here && f.node === node.name);
  const [name, setName] = useState(node.name);
  const taken = new Set(sheet.wiring.nodes.keys());
  const refused = name === node.name ? undefined : commands.refuseName(name, taken);
  const rename = (): void => {
    if (name === node.name || refused !== undefined) {
      setName(node.name);
      return;
    }
    sheet.change("rename", (d) => commands.renameNode(d, sheet.level, node.name, name));
    sheet.selectNodes([name]);
  };
  return (
    <>
      <header>
        <h2 class="unseen">{node.name}</h2>
        <input
          class="title"
          aria-label="Name"
          value={name}
          readOnly={sheet.readonly}
          onInput={(e) => setName(e.currentTarget.value)}
          onBlur={rename}
          onKeyDown={(e) => {
            if (e.key === "Enter") rename();
            if (e.key === "Escape") setName(node.name);
          }}
        />
        {refused !== undefined && <p class="why">{refused}</p>}
        <p class="about">
          <b>{kind?.name ?? node.data.type}</b> · {kind?.set ?? "unknown type"}
        </p>
        <div class="tools">
          <IconButton
            icon="rotate"
            label="Rotate (R)"
            run={() => actions.turn(sheet, "rotate")}
            disabled={sheet.readonly}
          />
          <IconButton
            icon="flipX"
            label="Flip left and right (X)"
            run={() => actions.turn(sheet, "flip-x")}
            disabled={sheet.readonly}
          />
          <IconButton
            icon="flipY"
            label="Flip up and down (Y)"
            run={() => actions.turn(sheet, "flip-y")}
            disabled={sheet.readonly}
          />
          <IconButton
            icon="remove"
            label="Delete (Del)"
            run={() => actions.remove(sheet)}
            disabled={sheet.readonly}
          />
        </div>
      </header>
      {faults.map((fault) => (
        <p class="fault" role="alert" key={fault.text}>
          {fault.text}
        </p>
      ))}
      {kind && kind.parameters.length > 0 && (
        <div class="fields">
          {kind.parameters.map((info) => (
            <ParameterField sheet={sheet} node={node} info={info} key={info.name} />
          ))}
        </div>
      )}
      {sheet.opens(node.name) && (
        <button type="button" class="wide" onClick={() => sheet.open([...sheet.level, node.name])}>
          Open the subsystem
        </button>
      )}
      {kind && (
        <Section title="Help">
          <div
            class="picture"
            dangerouslySetInnerHTML={{ __html: paletteMarkup(kind.name, sheet.kinds) }}
          />
          <p>{kind.about}</p>
          <dl>
            {node.ports.inputs.length > 0 && <dt>in</dt>}
            {node.ports.inputs.length > 0 && <dd>{node.ports.inputs.join(", ")}</dd>}
            {node.ports.outputs.length > 0 && <dt>out</dt>}
            {node.ports.outputs.length > 0 && <dd>{node.ports.outputs.join(", ")}</dd>}
            {kind.parameters
              .filter((p) => p.about)
              .map((p) => [<dt key={p.name}>{p.name}</dt>, <dd key={`${p.name}-`}>{p.about}</dd>])}
          </dl>
        </Section>
      )}
    </>
  );
}

// ------------------------------------------------------------------------------ lines and several

function WirePanel({ sheet, name }: { sheet: Sheet; name: string }): JSX.Element {
  const wire = sheet.wiring.wires.get(name);
  if (!wire) return <SheetPanel sheet={sheet} />;
  return (
    <>
      <header>
        <h2>Line from {wire.from}</h2>
        <p class="about">to {wire.links.map((link) => link.to).join(", ")}</p>
      </header>
      <Section title="Colour">
        <div class="swatches" role="group" aria-label="Colour of the line">
          {colors.map(([label, color]) => (
            <button
              type="button"
              key={label}
              title={label}
              aria-label={label}
              aria-pressed={wire.color === color}
              style={{
                "--swatch": color === undefined ? "var(--ink)" : wireColor(color),
              }}
              disabled={sheet.readonly}
              onClick={() => actions.color(sheet, color)}
            />
          ))}
        </div>
      </Section>
      {wire.links.some((link) => link.pins.length > 0) && (
        <button type="button" class="wide" onClick={() => actions.resetRoute(sheet)}>
          Reset route
        </button>
      )}
      <p class="hint">Drag a selected line to lead it, any other line to branch off.</p>
    </>
  );
}

function Many({ sheet }: { sheet: Sheet }): JSX.Element {
  const { nodes, notes } = sheet.selection;
  const edges = ["left", "centre", "right", "top", "middle", "bottom"] as const;
  return (
    <>
      <header>
        <h2>
          {nodes.size ? `${nodes.size} nodes` : ""}
          {nodes.size && notes.size ? ", " : ""}
          {notes.size ? `${notes.size} notes` : ""}
        </h2>
      </header>
      <Section title="Align">
        <div class="tools">
          {edges.map((edge) => (
            <IconButton
              key={edge}
              icon={edge}
              label={`Align: ${edge}`}
              run={() => actions.alignTo(sheet, edge)}
            />
          ))}
        </div>
      </Section>
      <Section title="Distribute">
        <div class="tools">
          <IconButton
            icon="across"
            label="Equal gaps across"
            run={() => actions.distributeAlong(sheet, true)}
            disabled={nodes.size < 3}
          />
          <IconButton
            icon="down"
            label="Equal gaps down"
            run={() => actions.distributeAlong(sheet, false)}
            disabled={nodes.size < 3}
          />
        </div>
      </Section>
      <Section title="Together">
        <div class="tools">
          <IconButton icon="rotate" label="Rotate (R)" run={() => actions.turn(sheet, "rotate")} />
          <IconButton
            icon="group"
            label="Make a subsystem (Ctrl+G)"
            run={() => actions.makeSubsystem(sheet)}
          />
          <IconButton icon="remove" label="Delete (Del)" run={() => actions.remove(sheet)} />
        </div>
      </Section>
    </>
  );
}

// ---------------------------------------------------------------------------------------- the sheet

const simulation: readonly [key: string, label: string, usual: string, unit?: string][] = [
  ["start", "Start", "0", "s"],
  ["stop", "Stop", "10", "s"],
  ["step", "Step", "0.2", "s"],
  ["rtol", "Relative tolerance", "1e-6"],
  ["atol", "Absolute tolerance", "1e-9"],
];
const integrators = [
  "None",
  "RK_DP",
  "RK_04",
  "RK_BS",
  "RK_HE",
  "RK_EU",
  "dp45",
  "dop853",
  "radau5",
  "bdf",
];

function SheetPanel({ sheet }: { sheet: Sheet }): JSX.Element {
  const root = sheet.doc.root as JsonObject;
  const given = isObject(root.simulation) ? root.simulation : {};
  const integrator = typeof given.integrator === "string" ? given.integrator : "None";
  const others = sheet.faults.filter((f) => sheet.wiring.nodes.size > 0 && f.severity === "error");
  const set = (key: string) => (text: string, gesture?: string) => {
    const value = text.trim() === "" ? undefined : readValue(text);
    sheet.change(key, (d) => commands.setSimulation(d, key, value), gesture);
  };
  return (
    <>
      <header>
        <h2>{typeof root.name === "string" ? root.name : "Diagram"}</h2>
        {typeof root.about === "string" && <p class="about">{root.about}</p>}
      </header>
      {others.map((fault) => (
        <button
          type="button"
          class="fault"
          key={fault.text}
          onClick={() => {
            if (fault.level.join("/") !== sheet.level.join("/")) sheet.open(fault.level);
            if (fault.node !== undefined) sheet.selectNodes([fault.node]);
          }}
        >
          {fault.node !== undefined && <b>{fault.node}: </b>}
          {fault.text}
        </button>
      ))}
      <Section title="Run">
        <div class="fields">
          <ChoiceField
            name="Integrator"
            value={integrator}
            choices={integrators.includes(integrator) ? integrators : [...integrators, integrator]}
            readonly={sheet.readonly}
            take={(text) =>
              sheet.change("integrator", (d) => commands.setSimulation(d, "integrator", text))
            }
          />
          {simulation.map(([key, label, usual, unit]) => (
            <NumberField
              key={key}
              name={label}
              unit={unit}
              value={valueText(given[key])}
              placeholder={usual}
              readonly={sheet.readonly}
              take={set(key)}
              seal={() => sheet.doc.seal()}
            />
          ))}
        </div>
      </Section>
      <Named sheet={sheet} list={isObject(root.parameters) ? root.parameters : {}} />
    </>
  );
}

// Named numbers of the sheet: expressions of nodes may use them.
function Named({ sheet, list }: { sheet: Sheet; list: JsonObject }): JSX.Element {
  const [fresh, setFresh] = useState("");
  const added = useRef<string | undefined>(undefined);
  useEffect(() => {
    // a name that was given waits for its number
    const field = added.current && document.getElementById(`field-${added.current}`);
    added.current = undefined;
    if (field instanceof HTMLInputElement) {
      field.focus();
      field.select();
    }
  }, [list]);
  const bad =
    fresh !== "" && !/^[A-Za-z_]\w*$/.test(fresh)
      ? "letters, digits and _, beginning with a letter"
      : undefined;
  const add = (): void => {
    if (!fresh || bad || Object.hasOwn(list, fresh)) return;
    sheet.change(`add ${fresh}`, (d) => commands.setSheetParameter(d, fresh, 1));
    setFresh("");
    added.current = fresh;
  };
  return (
    <Section title="On the sheet">
      <div class="fields">
        {Object.entries(list).map(([name, json]) => {
          const whole = isObject(json) ? json : { value: json };
          const { min, max } = whole;
          const range =
            typeof min === "number" && typeof max === "number" ? ([min, max] as const) : undefined;
          return (
            <NumberField
              key={name}
              name={name}
              unit={typeof whole.unit === "string" ? whole.unit : undefined}
              about={typeof whole.about === "string" ? whole.about : undefined}
              value={valueText(whole.value)}
              range={range}
              readonly={sheet.readonly}
              take={(text, gesture) => {
                const value = text.trim() === "" ? undefined : readValue(text);
                const next =
                  value === undefined ? undefined : isObject(json) ? { ...json, value } : value;
                sheet.change(name, (d) => commands.setSheetParameter(d, name, next), gesture);
              }}
              seal={() => sheet.doc.seal()}
            />
          );
        })}
      </div>
      {!sheet.readonly && (
        <form
          class="add"
          onSubmit={(e) => {
            e.preventDefault();
            add();
          }}
        >
          <input
            aria-label="Name of a new number"
            placeholder="new name"
            value={fresh}
            spellcheck={false}
            onInput={(e) => setFresh(e.currentTarget.value)}
          />
          <button type="submit" class="tool" aria-label="Add the number" title="Add the number">
            <Icon name="add" />
          </button>
        </form>
      )}
      {bad && <p class="why">{bad}</p>}
    </Section>
  );
}
