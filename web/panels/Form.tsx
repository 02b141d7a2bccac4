// A document of JSON as a form: every number, word and list of it, and what else it may have. Fields and
// structures are changed here without their text; what does not fit the engine says at once, as of a text.
import type { Work } from "../app/work.ts";
import type { JsonDocument } from "../document/document.ts";
import { isList, isObject, type Json, type Path } from "../document/json.ts";
import { readNumber } from "../engine/numbers.ts";
import { useDocument } from "./useDocument.ts";

/** What a document of a kind may have, and what it has at first. */
const known: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  field: {
    name: "field",
    about: "",
    size: [32, 32],
    length: [1, 1],
    c: 1,
    b1: 0,
    b2: 0,
    diffusivity: 1,
    velocity: [0, 0],
    sides: { left: "fixed", right: "fixed", front: "fixed", back: "fixed" },
    points: [{ name: "push", node: [3, 3], signal: { sine: { amplitude: 1, omega: 2 } } }],
    probes: [{ node: [5, 5] }],
    object: { mass: 0.003, gravity: 9.8, first: [9, 9], count: [4, 4] },
    energy: true,
    method: "rk4",
    run: { stop: 10, interval: 0.1 },
  },
  structure: {
    about: "",
    dimension: 2,
    gravity: true,
    friction: 0,
    friction_rate: 0,
    bowl: 0,
    nodes: [{ name: "n1", at: [0, 0], mass: 1 }],
    springs: [],
    ports: [],
    begin: "rest",
    run: { stop: 10, interval: 0.01 },
  },
};
const choices: Readonly<Record<string, readonly string[]>> = {
  field: ["wave", "transport", "heat"],
  method: ["leapfrog", "euler", "rk4", "implicit-euler", "sliding"],
  linear: ["direct", "cg", "multigrid"],
  sides: ["fixed", "free", "periodic", "absorbing"],
  material: ["steel", "aluminium", "concrete", "oak", "rubber"],
  begin: ["rest"],
  law: ["bulk", "pressure", "gas"],
  energy: ["squares", "lengths"],
};
const LIST_MOST = 60;

interface Props {
  readonly document: JsonDocument;
  readonly path: Path;
  readonly value: Json;
}

function put(document: JsonDocument, path: Path, value: Json | undefined): void {
  const key = path.at(-1)!;
  const above = path.slice(0, -1);
  document.change(`change ${String(key)}`, (draft) => {
    if (typeof key === "string") draft.set(above, key, value);
    else if (value === undefined) draft.splice(above, key, 1);
    else draft.splice(above, key, 1, value);
  });
}

const nameOf = (path: Path) => path.map(String).join(" ");

function Plain({ document, path, value }: Props) {
  const label = nameOf(path);
  if (typeof value === "boolean")
    return (
      <input
        type="checkbox"
        aria-label={label}
        checked={value}
        onChange={(event) => put(document, path, event.currentTarget.checked)}
      />
    );
  const key = [...path].reverse().find((part) => typeof part === "string");
  const under = path.length > 1 && path.at(-2) === "sides" ? "sides" : key;
  const offered = typeof value === "string" ? choices[under as string] : undefined;
  if (offered)
    return (
      <select
        aria-label={label}
        value={value as string}
        onChange={(event) => put(document, path, event.currentTarget.value)}
      >
        {[...new Set([value as string, ...offered])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  const isNumber = typeof value === "number";
  const written = typeof value === "string" || isNumber ? String(value) : "";
  return (
    <input
      aria-label={label}
      {...(isNumber ? { inputMode: "decimal" as const } : {})}
      value={written}
      onChange={(event) => {
        const given = event.currentTarget.value;
        const next = isNumber ? readNumber(given) : given;
        if (next === undefined) event.currentTarget.value = written;
        else put(document, path, next);
      }}
    />
  );
}

function Value(props: Props) {
  const { document, path, value } = props;
  if (isList(value)) {
    const short = value.every((one) => !isObject(one) && !isList(one));
    const last = value.at(-1);
    return (
      <div class={short ? "form-row" : "form-list"}>
        {value.slice(0, LIST_MOST).map((one, i) => (
          <div key={i} class="form-item">
            <Value document={document} path={[...path, i]} value={one} />
            {!short && (
              <button
                class="quiet"
                aria-label={`Delete ${nameOf([...path, i])}`}
                onClick={() => put(document, [...path, i], undefined)}
              >
                Delete
              </button>
            )}
          </div>
        ))}
        {value.length > LIST_MOST && (
          <p class="remark">and {value.length - LIST_MOST} more, in the text</p>
        )}
        {!short && last !== undefined && (
          <button
            onClick={() =>
              document.change("add one", (draft) => draft.splice(path, value.length, 0, last))
            }
          >
            One more
          </button>
        )}
      </div>
    );
  }
  if (isObject(value))
    return (
      <fieldset class="form-group">
        <legend class="unseen">{nameOf(path)}</legend>
        {Object.entries(value).map(([key, one]) => (
          <div key={key} class="form-field">
            <span>{key}</span>
            <Value document={document} path={[...path, key]} value={one} />
          </div>
        ))}
      </fieldset>
    );
  return <Plain {...props} />;
}

export function Form({ work }: { readonly work: Work }) {
  const { document, why } = useDocument(work);
  if (why) return <p class="empty">The text cannot be read: {why}</p>;
  if (!document || !isObject(document.root)) return null;
  const root = document.root;
  const may = known["field" in root ? "field" : "structure"]!;
  const missing = Object.keys(may).filter((key) => !(key in root));
  const wrong = work.diagnostics.value.filter(({ severity }) => severity === "error");
  return (
    <section class="form" aria-label="The document as a form">
      <p class="draw-tools">
        <button disabled={!document.canUndo} onClick={() => document.undo()}>
          Undo
        </button>
        <button disabled={!document.canRedo} onClick={() => document.redo()}>
          Redo
        </button>
        <select
          aria-label="Add a member"
          value=""
          onChange={(event) => {
            const key = event.currentTarget.value;
            if (key) document.change(`add ${key}`, (draft) => draft.set([], key, may[key]));
            event.currentTarget.value = "";
          }}
        >
          <option value="">Add…</option>
          {missing.map((key) => (
            <option key={key}>{key}</option>
          ))}
        </select>
      </p>
      {wrong.slice(0, 3).map(({ text }) => (
        <p key={text} class="refusal" role="alert">
          {text}
        </p>
      ))}
      {Object.entries(root).map(([key, value]) => (
        <div key={key} class="form-field form-top">
          <span>
            {key}{" "}
            {key !== "field" && key !== "structure" && (
              <button
                class="quiet"
                aria-label={`Take ${key} away`}
                title={`Take ${key} away`}
                onClick={() => put(document, [key], undefined)}
              >
                ×
              </button>
            )}
          </span>
          <Value document={document} path={[key]} value={value} />
        </div>
      ))}
    </section>
  );
}
