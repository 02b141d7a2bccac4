// The classes of libraries: those that the desk finds by name, package by package as they are opened. Under
// `foliot studio` these are the folders of MODELICAPATH.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Desk } from "../app/contracts.ts";
import { adopt } from "./Gallery.tsx";

interface Offered {
  readonly name: string;
  readonly kind: string;
  readonly detail?: string;
}

/** A text of its own at the desk, in which names are begun to see what there is. */
class Asker {
  readonly #desk: Desk;
  #doc: Promise<number> | undefined;
  #version = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(desk: Desk) {
    this.#desk = desk;
  }
  async #write(text: string): Promise<number> {
    this.#doc ??= this.#desk
      .ask<{ doc: number }>("open", { name: "browse.mo", text: "" })
      .then(({ ok }) => ok.doc);
    const doc = await this.#doc;
    await this.#desk.ask("change", { doc, version: ++this.#version, text });
    return doc;
  }
  // one question after the other: there is one text
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(act, act);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
  /** What is in a package; of "": the packages that there are. */
  list(name: string): Promise<Offered[]> {
    return this.#inTurn(async () => {
      const begun = `  ${name && `${name}.`}`;
      const doc = await this.#write(`model Browse\n${begun}\nend Browse;\n`);
      const { ok } = await this.#desk.ask<{ list: Offered[] }>("complete", {
        doc,
        at: [1, begun.length],
      });
      return ok.list.filter((one) => one.kind === "class" && one.name !== "Browse");
    });
  }
  /** The flat model of a class, or why there is none. */
  flat(name: string): Promise<string> {
    return this.#inTurn(async () => {
      const doc = await this.#write(`model Browse\n  extends ${name};\nend Browse;\n`);
      try {
        const { ok } = await this.#desk.ask<{ text: string }>("view", { doc, view: "flat" });
        return ok.text.replaceAll("Browse", name.slice(name.lastIndexOf(".") + 1));
      } catch (error) {
        return `// ${(error as Error).message}`;
      }
    });
  }
  close(): void {
    void this.#doc?.then((doc) => this.#desk.ask("close", { doc })).catch(() => undefined);
  }
}

interface Chosen {
  readonly asker: Asker;
  readonly chosen: string;
  onChoose(name: string): void;
}

function Package({ name, ...rest }: Chosen & { readonly name: string }) {
  const list = useSignal<readonly Offered[] | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    rest.asker.list(name).then(
      (found) => {
        if (!gone) list.value = found;
      },
      () => {
        if (!gone) list.value = [];
      },
    );
    return () => void (gone = true);
  }, [name, rest.asker]);
  if (!list.value) return <p class="remark">Looking …</p>;
  if (!list.value.length) return <p class="remark">No classes are in it.</p>;
  return (
    <ul class="classes">
      {list.value.map((one) => (
        <Class key={one.name} {...rest} one={one} name={name ? `${name}.${one.name}` : one.name} />
      ))}
    </ul>
  );
}

function Class({ one, name, ...rest }: Chosen & { readonly one: Offered; readonly name: string }) {
  const open = useSignal(false);
  return (
    <li>
      <button
        class="quiet turn"
        aria-expanded={open.value}
        aria-label={`What is in ${name}`}
        onClick={() => (open.value = !open.value)}
      >
        {open.value ? "▾" : "▸"}
      </button>
      <button
        class="quiet"
        aria-pressed={rest.chosen === name}
        title={one.detail}
        onClick={() => rest.onChoose(name)}
      >
        {one.name} <span class="unit">{one.detail}</span>
      </button>
      {open.value && <Package {...rest} name={name} />}
    </li>
  );
}

/** A model of one's own that is the class, to be run and changed. */
async function use(name: string): Promise<void> {
  const own = `My${name.slice(name.lastIndexOf(".") + 1)}`;
  await adopt(`${own}.mo`, `model ${own}\n  extends ${name};\nend ${own};\n`);
}

/** The libraries, below the classes of a text. */
export function Library({ desk }: { desk: Desk }) {
  const asker = useSignal<Asker | undefined>(undefined);
  const chosen = useSignal("");
  const flat = useSignal("");
  useEffect(() => {
    const fresh = new Asker(desk);
    asker.value = fresh;
    return () => fresh.close();
  }, [desk]);
  const choose = (name: string) => {
    chosen.value = name;
    flat.value = "";
    void asker
      .peek()
      ?.flat(name)
      .then((text) => {
        if (chosen.peek() === name) flat.value = text;
      });
  };
  if (!asker.value) return null;
  return (
    <details class="library">
      <summary>Libraries</summary>
      <Package asker={asker.value} name="" chosen={chosen.value} onChoose={choose} />
      {chosen.value && (
        <section aria-label={chosen.value} aria-live="polite">
          <p>
            <b>{chosen.value}</b>{" "}
            <button onClick={() => void use(chosen.value)}>A model of yours from it</button>
          </p>
          <pre tabIndex={0} aria-label={`${chosen.value}, flat`}>
            {flat.value}
          </pre>
        </section>
      )}
    </details>
  );
}
