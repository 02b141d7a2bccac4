// What floats: questions, the page of keys, help.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { question } from "../app/ask.ts";
import { keys, type Area } from "../app/keys.ts";
import { dialog, engine } from "../app/state.ts";
import { Float } from "./Float.tsx";
import { Versions } from "./Versions.tsx";

function Asking() {
  const now = question.value;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), [now]);
  if (!now) return null;
  return (
    <Float title={now.text} onClose={() => now.answer(undefined)}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          now.answer(input.current?.value);
        }}
      >
        <input ref={input} class="full" aria-label={now.text} defaultValue={now.value} />
        <button class="primary">OK</button>
      </form>
    </Float>
  );
}

const areas: readonly [Area, string][] = [
  ["everywhere", "Everywhere"],
  ["text", "In texts"],
  ["plots", "In plots"],
  ["sheet", "On the sheet"],
  ["draw", "Drawing structures"],
  ["live", "Live"],
];

function Keys() {
  // the sheet has a table of its own, which comes with it
  const sheet = useSignal<readonly { keys: readonly string[]; about: string }[]>([]);
  useEffect(() => {
    void import("../sheet/index.ts").then(
      ({ bindings }) => (sheet.value = bindings),
      () => undefined,
    );
  }, []);
  const keysOf = (area: Area) => {
    const own = keys.filter((key) => key.area === area);
    if (area !== "sheet" || !sheet.value.length) return own;
    const known = new Set(sheet.value.flatMap((binding) => binding.keys));
    return [...own.filter((key) => !key.keys.some((name) => known.has(name))), ...sheet.value];
  };
  return (
    <Float title="Keys" onClose={() => (dialog.value = undefined)}>
      <div class="keys">
        {areas.map(([area, title]) => (
          <section key={area}>
            <h3>{title}</h3>
            <dl>
              {keysOf(area).map((key) => (
                <div key={key.keys.join()}>
                  <dt>
                    {key.keys.map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{key.about}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Float>
  );
}

interface Topic {
  readonly name: string;
  readonly kind: string;
  readonly set?: string;
  readonly about: string;
  readonly inputs?: string;
  readonly outputs?: string;
  readonly parameters?: readonly { name: string; about?: string; value?: string }[];
}

function Help() {
  const topics = useSignal<readonly Topic[]>([]);
  const search = useSignal("");
  const now = engine.value;
  useEffect(() => {
    if (now.state !== "ready") return;
    void now.desk.ask<{ topics: Topic[] }>("help").then(({ ok }) => (topics.value = ok.topics));
  }, [now.state]);
  const wanted = search.value.toLowerCase();
  const seen = topics.value.filter(({ name, about, set }) =>
    `${name} ${set ?? ""} ${about}`.toLowerCase().includes(wanted),
  );
  return (
    <Float title="Help" onClose={() => (dialog.value = undefined)}>
      <input
        type="search"
        class="full"
        autofocus
        aria-label="Search help"
        placeholder={`Search ${topics.value.length} nodes and solvers`}
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
      />
      <div class="topics" tabIndex={0} role="region" aria-label="Topics">
        {seen.map((topic) => (
          <details key={`${topic.kind} ${topic.name}`}>
            <summary>
              <b>{topic.name}</b> <span class="soft">{topic.set ?? topic.kind}</span>
            </summary>
            <p>{topic.about}</p>
            {(topic.inputs ?? topic.outputs) && (
              <p class="soft">
                {topic.inputs && `in: ${topic.inputs} `}
                {topic.outputs && `out: ${topic.outputs}`}
              </p>
            )}
            {topic.parameters?.map((p) => (
              <p key={p.name} class="soft">
                <code>{p.name}</code> {p.value && `= ${p.value}`} {p.about}
              </p>
            ))}
          </details>
        ))}
        {!seen.length && <p class="empty">Nothing is called “{search.value}”.</p>}
      </div>
    </Float>
  );
}

export function Dialogs() {
  return (
    <>
      {dialog.value === "keys" && <Keys />}
      {dialog.value === "help" && <Help />}
      {dialog.value === "versions" && <Versions />}
      <Asking />
    </>
  );
}
