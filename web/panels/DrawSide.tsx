// What is chosen in the drawing of a structure, and the structure as a whole: its numbers.
import { Icon } from "../app/icons.tsx";
import { say } from "../app/state.ts";
import type { JsonDocument } from "../document/document.ts";
import { isObject, type Json } from "../document/json.ts";
import * as structure from "../document/structure.ts";
import type { DrawnNode, DrawnPart } from "../document/structure.ts";
import { readNumber } from "../engine/numbers.ts";

const word = (value: Json | undefined) => (typeof value === "string" ? value : "");

interface FieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly unit?: string;
  /** What stands there while there is no number of its own. */
  readonly usual?: string;
  /** False: this number cannot be. */
  readonly onChange: (value: number | undefined) => unknown;
}

function Field({ label, value, unit, usual, onChange }: FieldProps) {
  return (
    <label class="draw-field">
      <span>
        {label} <span class="unit">{unit}</span>
      </span>
      <input
        inputMode="decimal"
        aria-label={label}
        value={value === undefined ? "" : String(Number(value.toPrecision(12)))}
        placeholder={usual ?? ""}
        onChange={(event) => {
          const given = event.currentTarget.value.trim();
          const next = given ? readNumber(given) : undefined;
          const can = given ? next !== undefined : usual !== undefined;
          if (can ? onChange(next) === false : given)
            event.currentTarget.value = String(value ?? "");
        }}
      />
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** What it is called for those who do not see it; else as its label. */
  readonly called?: string;
  readonly value: string;
  /** What can be chosen: a value, and its words where they are others. */
  readonly from: readonly (string | readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, called, value, from, onChange }: ChoiceProps) {
  const options = from.map((one) => (typeof one === "string" ? ([one, one] as const) : one));
  // one that is not among them is shown, too
  const known = options.some(([id]) => id === value);
  return (
    <label class="draw-field">
      <span>{label}</span>
      <select
        aria-label={called ?? label}
        value={value}
        onChange={(event) => {
          onChange(event.currentTarget.value);
          event.currentTarget.value = value;
        }}
      >
        {(known ? options : [[value, value] as const, ...options]).map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

const Delete = ({ what, onDelete }: { readonly what: string; readonly onDelete: () => void }) => (
  <button onClick={onDelete}>Delete the {what}</button>
);

/** Some of the axes: all of them has a word of its own. */
const waysFixed = (axes: readonly string[]) =>
  axes.length < 2 ? [] : axes.length < 3 ? axes : [...axes, "xy", "xz", "yz"];

/** A panel of one element of a list of the document: its fields, and what takes it away. */
interface PanelProps {
  readonly document: JsonDocument;
  readonly onGone: () => void;
}

interface NodeProps extends PanelProps {
  readonly node: DrawnNode;
  readonly onRename: (to: string) => void;
}

interface AxesProps {
  readonly document: JsonDocument;
  readonly node: DrawnNode;
  readonly axes: readonly string[];
}

function Push({ document, node, axes }: AxesProps) {
  return (
    <Choice
      label="push it"
      called="Add a port"
      value=""
      from={[
        ["", "Add a port…"],
        ...axes.flatMap((axis) => [axis, `-${axis}`]).map((way) => [way, `along ${way}`] as const),
      ]}
      onChange={(way) => {
        if (way)
          structure.edit(document, "add a port", (draft) =>
            structure.addPort(draft, node.name, way),
          );
      }}
    />
  );
}

/** A node of a part or a lattice: what it is made with may be changed. */
function MadeNodePanel({ document, node, axes }: AxesProps) {
  const change = (key: string, value: Json | undefined) =>
    structure.edit(document, `change ${key}`, (draft) =>
      structure.changeNode(draft, node.name, key, value),
    );
  const given = structure
    .listOf(document.root, "change")
    .find((one) => one["node"] === node.name)?.["mass"];
  return (
    <>
      <p>node {node.name}</p>
      <Choice
        label="fixed"
        value={node.fixed}
        from={[["", "no"], ...waysFixed(axes), "all"]}
        onChange={(to) => change("fixed", to === "all" ? true : to || undefined)}
      />
      <Field
        label="mass"
        unit="kg"
        value={typeof given === "number" ? given : undefined}
        usual="as it is made"
        onChange={(v) => (v === undefined || v > 0) && change("mass", v)}
      />
      <Push document={document} node={node} axes={axes} />
    </>
  );
}

export function NodePanel({ document, node, onGone, onRename }: NodeProps) {
  const index = node.index;
  const axes = ["x", "y", "z"].slice(0, structure.dimensionOf(document.root));
  if (index === undefined) return <MadeNodePanel document={document} node={node} axes={axes} />;
  const given = structure.listOf(document.root, "nodes")[index] ?? {};
  const place = [...node.at, node.z].slice(0, axes.length);
  const set = (key: string, value: Json | undefined) =>
    structure.edit(document, `change ${key}`, (draft) => draft.set(["nodes", index], key, value));
  const part = (key: string, axis: number) => {
    const list = given[key];
    const value = Array.isArray(list) ? (list as Json[])[axis] : undefined;
    return typeof value === "number" ? value : undefined;
  };
  const setPart = (
    key: string,
    axis: number,
    value: number | undefined,
    usual: readonly number[],
  ) => {
    const list = given[key];
    const old = Array.isArray(list) ? (list as number[]) : usual;
    set(
      key,
      usual.map((one, i) => (i === axis ? (value ?? one) : (old[i] ?? one))),
    );
  };
  return (
    <>
      <label class="draw-field">
        <span>name</span>
        <input
          aria-label="name"
          value={node.name}
          onChange={(event) => {
            const to = event.currentTarget.value.trim();
            const done = structure.edit(document, "rename a node", (draft) =>
              structure.renameNode(draft, index, to),
            );
            if (done) {
              onRename(to);
              return;
            }
            say(to ? `There is another ${to}.` : "A node has a name.");
            event.currentTarget.value = node.name;
          }}
        />
      </label>
      {axes.map((axis, i) => (
        <Field
          key={axis}
          label={axis}
          unit="m"
          value={place[i]}
          onChange={(v) => v !== undefined && setPart("at", i, v, place)}
        />
      ))}
      <Field
        label="mass"
        unit="kg"
        value={node.mass}
        onChange={(v) => v !== undefined && v > 0 && set("mass", v)}
      />
      <Choice
        label="fixed"
        value={node.fixed}
        from={[["", "no"], ...waysFixed(axes), "all"]}
        onChange={(to) =>
          structure.edit(document, "change fixed", (draft) => {
            draft.set(["nodes", index], "fixed", to === "all" ? true : to || undefined);
            // what moves has a mass
            if (to !== "all" && given["mass"] === undefined)
              draft.set(["nodes", index], "mass", node.mass);
          })
        }
      />
      {(["start", "velocity"] as const).map((key) =>
        axes.map((letter, axis) => (
          <Field
            key={`${key} ${letter}`}
            label={`${key === "start" ? "begins at" : "speed"} ${letter}`}
            unit={key === "start" ? "m" : "m/s"}
            value={part(key, axis)}
            usual={key === "start" ? String(place[axis]) : "0"}
            onChange={(v) => setPart(key, axis, v, key === "start" ? place : place.map(() => 0))}
          />
        )),
      )}
      <Push document={document} node={node} axes={axes} />
      <Delete
        what="node"
        onDelete={() => {
          structure.edit(document, "delete a node", (draft) => structure.removeNode(draft, index));
          onGone();
        }}
      />
    </>
  );
}

export function SpringPanel({ document, index, onGone }: PanelProps & { readonly index: number }) {
  const spring = structure.springsOf(document.root)[index];
  const given = structure.listOf(document.root, "springs")[index];
  if (!spring || !given) return null;
  const set = (key: string, value: Json | undefined) =>
    structure.edit(document, `change ${key}`, (draft) => draft.set(["springs", index], key, value));
  const breaks = given["breaks"];
  return (
    <>
      <p>
        {spring.ends[0]} – {spring.ends[1]}
      </p>
      <Field
        label="stiffness k"
        value={spring.k}
        onChange={(v) => v !== undefined && v > 0 && set("k", v)}
      />
      <Field
        label="rest length"
        unit="m"
        value={spring.length}
        usual="as drawn"
        onChange={(v) => set("length", v)}
      />
      <Field
        label="breaks at a strain of"
        value={typeof breaks === "number" ? breaks : undefined}
        usual="never"
        onChange={(v) => set("breaks", v)}
      />
      <Choice
        label="energy"
        value={given["energy"] === "lengths" ? "lengths" : "squares"}
        from={[
          ["squares", "½ k (l² − d²)²"],
          ["lengths", "½ k (l − d)²"],
        ]}
        onChange={(to) => set("energy", to === "lengths" ? to : undefined)}
      />
      <Delete
        what="spring"
        onDelete={() => {
          structure.edit(document, "delete a spring", (draft) =>
            draft.splice(["springs"], index, 1),
          );
          onGone();
        }}
      />
    </>
  );
}

const MATERIALS = ["steel", "aluminium", "concrete", "oak", "rubber"];

/** A part: every number of it, its name and what it is made of. */
export function PartPanel({ document, part, onGone }: PanelProps & { readonly part: DrawnPart }) {
  const given = structure.listOf(document.root, part.list)[part.index] ?? {};
  const set = (key: string, value: Json) => {
    if (structure.isCountFit(given, key, value)) {
      structure.edit(document, `change ${key}`, (draft) =>
        structure.setOfPart(draft, part, key, value),
      );
      return true;
    }
    say(`Counts are whole, and make at most ${structure.PART_MOST} nodes here.`);
    return false;
  };
  const letters = (key: string, i: number) =>
    key === "cells" ? `cells ${i + 1}` : `${key} ${"xyz"[i] ?? i + 1}`;
  return (
    <>
      <p>
        {part.kind} {part.name}
      </p>
      {Object.entries(given).flatMap(([key, value]) => {
        if (key === "material")
          return (
            <Choice
              key={key}
              label={key}
              value={word(value)}
              from={MATERIALS}
              onChange={(to) => set(key, to)}
            />
          );
        if (typeof value === "number")
          return (
            <Field
              key={key}
              label={key}
              value={value}
              onChange={(v) => v !== undefined && set(key, v)}
            />
          );
        if (!Array.isArray(value)) return [];
        return (value as Json[]).flatMap((number, i) =>
          typeof number === "number"
            ? [
                <Field
                  key={`${key} ${i}`}
                  label={letters(key, i)}
                  value={number}
                  onChange={(v) =>
                    v !== undefined &&
                    set(
                      key,
                      (value as Json[]).map((n, j) => (j === i ? v : n)),
                    )
                  }
                />,
              ]
            : [],
        );
      })}
      <fieldset class="draw-held">
        <legend>held at</legend>
        {Object.keys(structure.SIDES)
          .filter((side) => structure.nodesAtSide(document.root, part, side).length)
          .map((side) => (
            <label key={side} class="draw-check">
              <input
                type="checkbox"
                checked={structure.isSideHeld(document.root, part, side)}
                onChange={({ currentTarget: { checked } }) =>
                  structure.edit(document, `hold ${side}`, (draft) =>
                    structure.holdSide(draft, part, side, checked),
                  )
                }
              />{" "}
              {side}
            </label>
          ))}
      </fieldset>
      <Delete
        what={part.kind}
        onDelete={() => {
          structure.edit(document, "delete a part", (draft) => structure.removePart(draft, part));
          onGone();
        }}
      />
    </>
  );
}

export function WholePanel({ document }: { document: JsonDocument }) {
  const root = isObject(document.root) ? document.root : {};
  const set = (key: string, value: Json | undefined) =>
    structure.edit(document, `change ${key}`, (draft) => draft.set([], key, value));
  const friction = root["friction"];
  const rate = root["friction_rate"];
  const ports = structure.listOf(root, "ports");
  return (
    <>
      <label class="draw-check">
        <input
          type="checkbox"
          checked={Boolean(root["gravity"])}
          onChange={(event) => set("gravity", event.currentTarget.checked || undefined)}
        />{" "}
        gravity
      </label>
      <label class="draw-check">
        <input
          type="checkbox"
          checked={root["begin"] === "rest"}
          onChange={(event) => set("begin", event.currentTarget.checked ? "rest" : undefined)}
        />{" "}
        begin at the static solution
      </label>
      <Field
        label="friction"
        unit="N s/m"
        value={typeof friction === "number" ? friction : undefined}
        usual="0"
        onChange={(v) => set("friction", v)}
      />
      <Field
        label="friction rate"
        unit="1/s"
        value={typeof rate === "number" ? rate : undefined}
        usual="0"
        onChange={(v) => set("friction_rate", v)}
      />
      {ports.map((port, i) => (
        <p key={i} class="draw-port">
          port {word(port["name"])}: {word(port["node"])}, {word(port["direction"])}{" "}
          <button
            class="quiet"
            aria-label={`Delete the port ${word(port["name"])}`}
            onClick={() =>
              structure.edit(document, "delete a port", (draft) => draft.splice(["ports"], i, 1))
            }
          >
            <Icon name="close" />
          </button>
        </p>
      ))}
    </>
  );
}
