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

export function NodePanel({ document, node }: { document: JsonDocument; node: DrawnNode }) {
  const index = node.index;
  if (index === undefined)
    return <p class="remark">{node.name} belongs to a lattice; its numbers are in the text.</p>;
  const given = structure.listOf(document.root, "nodes")[index] ?? {};
  const inSpace = isObject(document.root) && document.root["dimension"] === 3;
  const place: readonly number[] = inSpace ? [...node.at, node.z] : node.at;
  const set = (key: string, value: Json | undefined) =>
    document.change(`change ${key}`, (draft) => draft.set(["nodes", index], key, value));
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
    const next = [...(Array.isArray(list) ? (list as number[]) : usual)];
    next[axis] = value ?? usual[axis] ?? 0;
    set(key, next);
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
            document.change("rename a node", (draft) => structure.renameNode(draft, index, to));
          }}
        />
      </label>
      <Field
        label="x"
        unit="m"
        value={node.at[0]}
        onChange={(v) => v !== undefined && setPart("at", 0, v, node.at)}
      />
      <Field
        label="y"
        unit="m"
        value={node.at[1]}
        onChange={(v) => v !== undefined && setPart("at", 1, v, node.at)}
      />
      {inSpace && (
        <Field
          label="z"
          unit="m"
          value={node.z}
          onChange={(v) => v !== undefined && setPart("at", 2, v, [...node.at, node.z])}
        />
      )}
      <Field
        label="mass"
        unit="kg"
        value={node.mass}
        onChange={(v) => v !== undefined && v > 0 && set("mass", v)}
      />
      <label class="draw-field">
        <span>fixed</span>
        <select
          aria-label="fixed"
          value={node.fixed}
          onChange={(event) => {
            const to = event.currentTarget.value;
            set("fixed", to === "all" ? true : to || undefined);
          }}
        >
          <option value="">no</option>
          {(inSpace ? ["x", "y", "z", "xy", "xz", "yz"] : ["x", "y"]).map((axes) => (
            <option key={axes}>{axes}</option>
          ))}
          <option value="all">all</option>
        </select>
      </label>
      {(["start", "velocity"] as const).map((key) =>
        (inSpace ? [0, 1, 2] : [0, 1]).map((axis) => (
          <Field
            key={`${key} ${axis}`}
            label={`${key === "start" ? "begins at" : "speed"} ${"xyz"[axis]!}`}
            unit={key === "start" ? "m" : "m/s"}
            value={part(key, axis)}
            usual={key === "start" ? String(place[axis]) : "0"}
            onChange={(v) => setPart(key, axis, v, key === "start" ? place : place.map(() => 0))}
          />
        )),
      )}
      <label class="draw-field">
        <span>push it</span>
        <select
          aria-label="Add a port"
          value=""
          onChange={(event) => {
            const way = event.currentTarget.value;
            if (way)
              document.change("add a port", (draft) => structure.addPort(draft, node.name, way));
            event.currentTarget.value = "";
          }}
        >
          <option value="">Add a port…</option>
          {["x", "-x", "y", "-y", ...(inSpace ? ["z", "-z"] : [])].map((way) => (
            <option key={way} value={way}>
              along {way}
            </option>
          ))}
        </select>
      </label>
      <button
        onClick={() =>
          document.change("delete a node", (draft) => structure.removeNode(draft, index))
        }
      >
        Delete the node
      </button>
    </>
  );
}

export function SpringPanel({ document, index }: { document: JsonDocument; index: number }) {
  const spring = structure.springsOf(document.root)[index];
  const given = structure.listOf(document.root, "springs")[index];
  if (!spring || !given) return null;
  const set = (key: string, value: Json | undefined) =>
    document.change(`change ${key}`, (draft) => draft.set(["springs", index], key, value));
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
      <label class="draw-field">
        <span>energy</span>
        <select
          aria-label="energy"
          value={given["energy"] === "lengths" ? "lengths" : "squares"}
          onChange={(event) => {
            const to = event.currentTarget.value;
            set("energy", to === "lengths" ? to : undefined);
          }}
        >
          <option value="squares">½ k (l² − d²)²</option>
          <option value="lengths">½ k (l − d)²</option>
        </select>
      </label>
      <button
        onClick={() =>
          document.change("delete a spring", (draft) => draft.splice(["springs"], index, 1))
        }
      >
        Delete the spring
      </button>
    </>
  );
}

const MATERIALS = ["steel", "aluminium", "concrete", "oak", "rubber"];

/** A part: every number of it, its name and what it is made of. */
export function PartPanel({ document, part }: { document: JsonDocument; part: DrawnPart }) {
  const given = structure.listOf(document.root, part.list)[part.index] ?? {};
  const path = [part.list, part.index];
  const set = (key: string, value: Json) => {
    if (structure.isCountFit(given, key, value)) {
      document.change(`change ${key}`, (draft) => draft.set(path, key, value));
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
            <label key={key} class="draw-field">
              <span>{key}</span>
              <select
                aria-label={key}
                value={word(value)}
                onChange={(event) => set(key, event.currentTarget.value)}
              >
                {MATERIALS.map((material) => (
                  <option key={material}>{material}</option>
                ))}
              </select>
            </label>
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
      <button
        onClick={() =>
          document.change("delete a part", (draft) => structure.removePart(draft, part))
        }
      >
        Delete the {part.kind}
      </button>
    </>
  );
}

export function WholePanel({ document }: { document: JsonDocument }) {
  const root = isObject(document.root) ? document.root : {};
  const set = (key: string, value: Json | undefined) =>
    document.change(`change ${key}`, (draft) => draft.set([], key, value));
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
              document.change("delete a port", (draft) => draft.splice(["ports"], i, 1))
            }
          >
            <Icon name="close" />
          </button>
        </p>
      ))}
    </>
  );
}
