// The first screen: what there is to open, with pictures of real runs.
import { signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isSceneName } from "../app/beside.ts";
import { bind, chooseFiles, hasDisk, unbind } from "../app/disk.ts";
import {
  begun,
  drafts,
  files,
  goTo,
  hashOf,
  refreshDrafts,
  say,
  served,
  type Source,
} from "../app/state.ts";
import { keepMine } from "../app/open.ts";
import { dropDraft } from "../app/storage.ts";
import { Icon } from "../app/icons.tsx";
import { entries, type Entry } from "./entries.ts";

const search = signal("");

const kindWords: Readonly<Record<string, string>> = { system: "C", world: "process" };
export const kindWord = (kind: string) => kindWords[kind] ?? kind;
const kinds = ["all", "text", "diagram", "C", "process", "structure", "field"];

const title = (name: string) =>
  name
    .replace(/\.(mo|json)$/, "")
    .replace(/-/g, " ")
    .replace(/^./, (letter) => letter.toUpperCase());

function Picture({ lines, color }: { readonly lines: readonly string[]; readonly color: number }) {
  return (
    <svg class="picture" viewBox="-10 -12 260 120" preserveAspectRatio="none" aria-hidden="true">
      {lines.map((line, i) => (
        <path
          class={`stroke s${((color + i) % 6) + 1}`}
          pathLength={1}
          vector-effect="non-scaling-stroke"
          d={`M${line}`}
        />
      ))}
    </svg>
  );
}

function Card({ entry, color }: { readonly entry: Entry; readonly color: number }) {
  return (
    <li>
      <a class="card" href={hashOf("gallery", entry.name)}>
        <Picture lines={entry.lines} color={color} />
        <span class="caption">
          <b>{title(entry.name)}</b>
          <span class="kind">{kindWord(entry.kind)}</span>
          <span class="about">{entry.about}</span>
        </span>
      </a>
    </li>
  );
}

// ------------------------------------------------------------------------------------ what is mine

interface Mine {
  readonly source: Source;
  readonly name: string;
  readonly note: string;
  readonly draft: boolean;
}

const notes: Readonly<Record<string, string>> = {
  gallery: "your change of a model, in this browser",
  file: "not in the folder any more, in this browser",
};

function mine(): Mine[] {
  const kept = new Map(drafts.value.map((draft) => [draft.key, draft]));
  const rows: Mine[] = files.value
    .filter(({ name }) => !isSceneName(name))
    .map(({ name }) => {
      const draft = kept.get(`file/${name}`);
      const changed = draft && (draft.text !== null || draft.scene !== undefined);
      const note = changed
        ? "changed, not saved"
        : draft
          ? "with numbers of yours"
          : "in the folder";
      return { source: "file", name, note, draft: draft !== undefined };
    });
  const there = new Set(files.value.map(({ name }) => name));
  for (const { key, text } of kept.values()) {
    const [source, name] = [
      key.slice(0, key.indexOf("/")) as Source,
      key.slice(key.indexOf("/") + 1),
    ];
    if (source === "file" && (there.has(name) || text === null)) continue;
    rows.push({ source, name, note: notes[source] ?? "in this browser", draft: true });
  }
  return rows;
}

function MineRow({ source, name, note, draft }: Mine) {
  const sure = useSignal(false);
  const drop = async () => {
    if (!sure.value) {
      sure.value = true;
      return;
    }
    await dropDraft(`${source}/${name}`);
    await unbind(`${source}/${name}`);
    await refreshDrafts();
  };
  return (
    <li class="mine">
      <a
        href={hashOf(source, name)}
        onDragStart={(event) => {
          const text = drafts.value.find(({ key }) => key === `${source}/${name}`)?.text;
          if (text) dragOut(event, name, text);
        }}
      >
        <Icon name="file" /> {name}
      </a>
      <span class="remark">{note}</span>
      {draft && (
        <button class="quiet" onClick={() => void drop()} onBlur={() => (sure.value = false)}>
          {sure.value ? "Really discard" : "Discard"}
        </button>
      )}
    </li>
  );
}

// ---------------------------------------------------------------------------------------- new ones

const starts: Readonly<Record<string, { ending: string; text: (name: string) => string }>> = {
  text: {
    ending: ".mo",
    text: (name) =>
      `model ${name}\n  parameter Real k(unit = "1/s") = 0.5 "how fast it goes";\n` +
      `  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\nend ${name};\n`,
  },
  diagram: {
    ending: ".json",
    text: () =>
      `${JSON.stringify({ format: "foliot diagram", simulation: { integrator: "RK_DP" }, nodes: [], lines: [] }, null, 2)}\n`,
  },
  structure: {
    ending: ".structure.json",
    text: (name) =>
      `{\n    "structure": "${name}",\n    "dimension": 2,\n    "gravity": true,\n    "nodes": [\n` +
      `        {"name": "top", "at": [0, 0], "fixed": true},\n` +
      `        {"name": "n1", "at": [1, 0], "mass": 1}\n    ],\n` +
      `    "springs": [\n        {"between": ["top", "n1"], "k": 100}\n    ],\n` +
      `    "run": {"stop": 10, "interval": 0.01}\n}\n`,
  },
  field: {
    ending: ".field.json",
    text: (name) =>
      `{\n    "field": "wave",\n    "name": "${name}",\n    "size": [32, 32],\n    "length": [10, 10],\n` +
      `    "c": 2,\n    "b1": 0.1,\n    "points": [\n        {"name": "push", "node": [8, 8], ` +
      `"signal": {"sine": {"amplitude": 1, "omega": 4}}}\n    ],\n` +
      `    "probes": [{"node": [20, 20]}],\n    "run": {"stop": 20, "interval": 0.1}\n}\n`,
  },
};

async function create(kind: "text" | "diagram" | "structure" | "field"): Promise<void> {
  const { ending, text } = starts[kind]!;
  const taken = new Set(drafts.value.map(({ key }) => key));
  let number = 1;
  while (taken.has(`mine/Model${number}${ending}`)) number++;
  begun.value = `mine/Model${number}${ending}`;
  await adopt(`Model${number}${ending}`, text(`Model${number}`));
}

/** Keeps a text in this browser, and opens it. */
export async function adopt(name: string, text: string): Promise<void> {
  goTo(hashOf("mine", await keepMine(name, text)));
}

/** A model that is dragged out of the page is a file there. */
export function dragOut(event: DragEvent, name: string, text: string): void {
  const bytes = new TextEncoder().encode(text);
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  event.dataTransfer?.setData(
    "DownloadURL",
    `text/plain:${name}:data:text/plain;base64,${btoa(letters)}`,
  );
  event.dataTransfer?.setData("text/plain", text);
}

export function Gallery() {
  const chosen = useSignal("all");
  const input = useRef<HTMLInputElement>(null);
  const wanted = search.value.trim().toLowerCase();
  const seen = entries
    .map((entry, index) => ({ entry, index }))
    .filter(
      ({ entry }) =>
        (chosen.value === "all" || kindWord(entry.kind) === chosen.value) &&
        `${entry.name} ${entry.about}`.toLowerCase().includes(wanted),
    );
  const rows = mine().filter(({ name }) => name.toLowerCase().includes(wanted));
  const take = async (list: FileList | null) => {
    for (const file of list ?? []) await adopt(file.name, await file.text());
  };
  const choose = async () => {
    for (const file of await chooseFiles()) {
      const name = await keepMine(file.name, file.text);
      await bind(file, `mine/${name}`);
      goTo(hashOf("mine", name));
    }
  };
  const open = () => {
    if (!hasDisk()) input.current?.click();
    else void choose().catch((error: unknown) => say(`It cannot be opened: ${String(error)}`));
  };
  return (
    <main class="gallery" id="main">
      <h1>Things that flow and jump</h1>
      <p class="lead">
        Open one, run it, change it.{" "}
        {served ? "It runs on this machine." : "Everything runs here, in this page."}
      </p>
      <div class="bar">
        <button class="primary" onClick={() => void create("diagram")}>
          <Icon name="plus" /> New diagram
        </button>
        <button onClick={() => void create("text")}>New text</button>
        <button onClick={() => void create("structure")}>New structure</button>
        <button onClick={() => void create("field")}>New field</button>
        <button onClick={open}>Open a file…</button>
        <button onClick={() => void import("../app/tour.ts").then((tour) => tour.takeTour())}>
          Take the tour
        </button>
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept=".mo,.json"
          aria-label="A file of a model"
          onChange={(event) => void take(event.currentTarget.files)}
        />
        <div class="kinds" role="group" aria-label="Kinds of models">
          {kinds.map((kind) => (
            <button
              class="quiet"
              aria-pressed={chosen.value === kind}
              onClick={() => (chosen.value = kind)}
            >
              {kind}
            </button>
          ))}
        </div>
        <label class="finder">
          <Icon name="search" />
          <input
            type="search"
            id="search"
            placeholder="Search models"
            aria-label="Search models"
            value={search.value}
            onInput={(event) => (search.value = event.currentTarget.value)}
          />
          <kbd>/</kbd>
        </label>
      </div>
      {rows.length > 0 && (
        <section aria-labelledby="mine">
          <h2 id="mine">Yours</h2>
          <ul class="mines">
            {rows.map((row) => (
              <MineRow key={`${row.source}/${row.name}`} {...row} />
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="all">
        <h2 id="all" class={rows.length ? "" : "unseen"}>
          Gallery
        </h2>
        <ul class="cards">
          {seen.map(({ entry, index }) => (
            <Card key={entry.name} entry={entry} color={index} />
          ))}
        </ul>
        {!seen.length && (
          <p class="empty">No model has “{search.value}” in its name or description.</p>
        )}
      </section>
    </main>
  );
}
