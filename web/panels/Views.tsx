// A text as the engine sees it: the flat model, its equations in the order of solution; and its classes.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Work } from "../app/work.ts";
import type { Place } from "../engine/protocol.ts";
import { Library } from "./Library.tsx";

/** The flat model, or the order in which its equations are solved. */
export function Seen({ work, view }: { work: Work; view: "flat" | "sorted" }) {
  const text = useSignal("");
  const description = work.description.value;
  useEffect(() => {
    let gone = false;
    work.desk.ask<{ text: string }>("view", { doc: work.doc, view }).then(
      ({ ok }) => {
        if (!gone) text.value = ok.text;
      },
      (error: unknown) => {
        if (!gone) text.value = `// ${(error as Error).message}`;
      },
    );
    return () => void (gone = true);
  }, [work, view, description]);
  return (
    <pre
      class="equations"
      tabIndex={0}
      aria-label={view === "flat" ? "The flat model" : "The equations in the order of solution"}
    >
      {text.value}
    </pre>
  );
}

interface Outlined {
  readonly name: string;
  readonly kind: string;
  readonly detail?: string;
  readonly from: Place;
  readonly list?: readonly Outlined[];
}

const MEMBERS_MOST = 400;

function Tree(props: { of: readonly Outlined[]; onReveal: (place: Place) => void }) {
  return (
    <ul class="classes">
      {props.of.slice(0, MEMBERS_MOST).map((one, i) => (
        <li key={i}>
          <button class="quiet" title={one.detail} onClick={() => props.onReveal(one.from)}>
            <span class="unit">{one.kind}</span> {one.name}
          </button>
          {one.list && one.list.length > 0 && <Tree of={one.list} onReveal={props.onReveal} />}
        </li>
      ))}
    </ul>
  );
}

/** The classes of a text with what is in them; a click goes there. */
export function Classes({ work, onReveal }: { work: Work; onReveal: (place: Place) => void }) {
  const tree = useSignal<readonly Outlined[]>([]);
  const search = useSignal("");
  const text = work.text.value;
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(
      () =>
        void work.desk.ask<{ list: Outlined[] }>("outline", { doc: work.doc }).then(
          ({ ok }) => {
            if (!gone) tree.value = ok.list;
          },
          () => undefined,
        ),
      150,
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [work, text]);
  const wanted = search.value.toLowerCase();
  const keep = (list: readonly Outlined[]): Outlined[] =>
    list.flatMap((one) => {
      const inside = keep(one.list ?? []);
      const fits = `${one.name} ${one.detail ?? ""}`.toLowerCase().includes(wanted);
      return fits || inside.length ? [{ ...one, list: fits && !inside.length ? [] : inside }] : [];
    });
  return (
    <section class="class-browser" aria-label="Classes">
      <input
        type="search"
        class="full"
        aria-label="Search classes"
        placeholder="Search classes and what is in them"
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
      />
      <Tree of={wanted ? keep(tree.value) : tree.value} onReveal={onReveal} />
      {!tree.value.length && <p class="empty">There is no class in this text yet.</p>}
      <Library desk={work.desk} />
    </section>
  );
}
