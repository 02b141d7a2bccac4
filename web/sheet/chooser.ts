// A field with a list under it that is searched while typing: for nodes to insert and ports to
// connect. A combobox in the sense of ARIA; Enter takes, Escape gives up.
import { html } from "./view.ts";

export interface Choice {
  readonly label: string;
  readonly detail: string;
  /** SVG text, shown before the label. */
  readonly picture?: string;
  readonly pick: () => void;
}
let choosers = 0;

export class Chooser {
  private readonly frame: HTMLElement;
  private box: HTMLElement | undefined;
  private close: (() => void) | undefined;

  constructor(frame: HTMLElement) {
    this.frame = frame;
  }
  get isOpen(): boolean {
    return this.box !== undefined;
  }

  open(
    x: number,
    y: number,
    placeholder: string,
    search: (text: string) => readonly Choice[],
    done: () => void,
  ): void {
    this.dismiss();
    const id = `chooser${choosers++}`;
    const box = html("div", { class: "sheet-chooser" }, this.frame);
    const input = html(
      "input",
      {
        type: "text",
        placeholder,
        role: "combobox",
        autocomplete: "off",
        spellcheck: "false",
        "aria-label": placeholder,
        "aria-expanded": "true",
        "aria-autocomplete": "list",
        "aria-controls": id,
      },
      box,
    );
    const list = html("ul", { role: "listbox", id, "aria-label": placeholder }, box);
    const { clientWidth, clientHeight } = this.frame;
    box.style.left = `${Math.max(8, Math.min(x, clientWidth - 296))}px`;
    box.style.top = `${Math.max(8, Math.min(y, clientHeight - 330))}px`;
    let choices: readonly Choice[] = [];
    let current = 0;
    const show = (): void => {
      choices = search(input.value.trim()).slice(0, 40);
      current = 0;
      list.replaceChildren(
        ...choices.map((choice, i) => {
          const item = html("li", { role: "option", id: `${id}-${i}` });
          if (choice.picture) item.innerHTML = choice.picture;
          html("b", {}, item).textContent = choice.label;
          html("span", {}, item).textContent = choice.detail;
          item.addEventListener("pointerdown", (e) => e.preventDefault());
          item.addEventListener("click", () => take(i));
          return item;
        }),
      );
      if (!choices.length)
        html("li", { class: "none", role: "option", "aria-disabled": "true" }, list).textContent =
          "nothing has this name";
      mark();
    };
    const mark = (): void => {
      [...list.children].forEach((item, i) =>
        item.setAttribute("aria-selected", String(i === current && choices.length > 0)),
      );
      const item = list.children[current];
      if (item && choices.length) {
        input.setAttribute("aria-activedescendant", item.id);
        item.scrollIntoView({ block: "nearest" });
      } else input.removeAttribute("aria-activedescendant");
    };
    let ended = false;
    const end = (): void => {
      if (ended) return; // what has the focus and is removed is left once more
      ended = true;
      this.box = undefined;
      this.close = undefined;
      box.remove();
    };
    const take = (i: number): void => {
      const choice = choices[i];
      if (!choice) return;
      end();
      done();
      choice.pick();
    };
    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") {
        end();
        done();
      } else if (event.key === "Enter") take(current);
      else if (event.key === "ArrowDown") current = Math.min(current + 1, choices.length - 1);
      else if (event.key === "ArrowUp") current = Math.max(current - 1, 0);
      else return;
      event.preventDefault();
      mark();
    });
    input.addEventListener("blur", end);
    this.box = box;
    this.close = end;
    show();
    input.focus();
  }
  dismiss(): void {
    this.close?.();
  }
}

const fold = (text: string): string => text.toLowerCase();

/** How well a text fits what is searched: less is better, undefined: not at all. */
export function rank(query: string, label: string, more = ""): number | undefined {
  const [q, l] = [fold(query), fold(label)];
  if (!q) return 5;
  if (l === q) return 0;
  if (l.startsWith(q)) return 1 + l.length / 1000;
  const words = l.split(/[^a-z0-9]+/);
  if (words.some((word) => word.startsWith(q))) return 2 + l.length / 1000;
  if (
    words
      .map((word) => word[0])
      .join("")
      .startsWith(q)
  )
    return 2.5;
  if (l.includes(q)) return 3 + l.length / 1000;
  if (fold(more).includes(q) && q.length > 2) return 6;
  let at = 0;
  for (const c of l) if (c === q[at]) at++;
  return at === q.length ? 4 + l.length / 100 : undefined;
}
