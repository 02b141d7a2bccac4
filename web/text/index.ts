// The editor of texts: CodeMirror with what the desk knows of them.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintKeymap, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Desk } from "../app/contracts.ts";
import type { Diagnostic, Edit, Place, Range } from "../engine/protocol.ts";
import { folding } from "./fold.ts";
import { json } from "./json.ts";
import { modelica } from "./modelica.ts";

export interface TextOptions {
  readonly name: string;
  readonly text: string;
  readonly desk: Desk;
  /** The desk's handle of the document. */
  doc(): number;
  onChange(text: string): void;
  /** Asks the user for a name; undefined: for none. */
  onRename(old: string): Promise<string | undefined>;
}
export interface TextHandle {
  /** Replaces the text, if it is another. */
  setText(text: string): void;
  diagnose(list: readonly Diagnostic[]): void;
  reveal(place: Place): void;
  focus(): void;
  destroy(): void;
}

const style = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--s5)" },
  { tag: tags.typeName, color: "var(--s3)" },
  { tag: [tags.string, tags.atom], color: "var(--ok)" },
  { tag: tags.number, color: "var(--s1)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.standard(tags.variableName), color: "var(--s4)" },
  { tag: tags.propertyName, color: "var(--s1)" },
  { tag: [tags.operator, tags.punctuation], color: "var(--soft)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--panel)", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  "&.cm-focused": { outline: "none" },
  ".cm-gutters": {
    backgroundColor: "var(--panel)",
    color: "var(--faint)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--tint)" },
  ".cm-matchingBracket": { backgroundColor: "var(--tint)", outline: "none" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--tint)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal", marginLeft: "10px" },
  ".cm-hover": { padding: "6px 10px", maxWidth: "420px", fontSize: "12px" },
  ".cm-hover code": { fontFamily: "var(--mono)" },
  ".cm-hover p": { margin: "2px 0 0", color: "var(--soft)" },
  ".cm-diagnostic": { padding: "5px 10px", borderLeft: "3px solid var(--accent)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--error)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--error) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--accent) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-panels": {
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    borderColor: "var(--line)",
  },
});

function offset(doc: Text, [line, column]: Place): number {
  if (line >= doc.lines) return doc.length;
  const { from, to } = doc.line(line + 1);
  return Math.min(to, from + column);
}

function place(doc: Text, at: number): Place {
  const line = doc.lineAt(at);
  return [line.number - 1, at - line.from];
}

function mark(doc: Text, { from, to, severity, text, hint }: Diagnostic): Mark {
  const start = offset(doc, from);
  const end = Math.max(offset(doc, to), Math.min(start + 1, doc.length));
  return {
    from: start,
    to: end,
    severity: severity === "note" ? "info" : severity,
    message: hint ? `${text}; ${hint}` : text,
  };
}

const completionKinds: Readonly<Record<string, string>> = {
  keyword: "keyword",
  type: "type",
  function: "function",
  parameter: "constant",
  variable: "variable",
  model: "class",
};

export function mountText(element: HTMLElement, options: TextOptions): TextHandle {
  const { desk } = options;
  const isModelica = options.name.endsWith(".mo");
  let setting = false; // while the text comes from outside

  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    if (!context.explicit && !context.matchBefore(/[\w.]+$/)) return null;
    const { doc } = context.state;
    try {
      const { ok } = await desk.ask<
        Range & { list: { name: string; kind: string; detail?: string }[] }
      >("complete", { doc: options.doc(), at: place(doc, context.pos) });
      const list = ok.list.map(({ name, kind, detail }): Completion => ({
        label: name,
        type: completionKinds[kind] ?? "text",
        ...(detail && { detail }),
      }));
      return { from: offset(doc, ok.from), options: list, validFor: /^\w*$/ };
    } catch {
      return null;
    }
  };

  const hover = hoverTooltip(async (view, pos) => {
    try {
      const { ok } = await desk.ask<
        Partial<Range> & {
          text?: string;
          about?: string;
          value?: number | null;
          unit?: string;
        }
      >("hover", { doc: options.doc(), at: place(view.state.doc, pos) });
      if (!ok.text || !ok.from || !ok.to) return null;
      return {
        pos: offset(view.state.doc, ok.from),
        end: offset(view.state.doc, ok.to),
        above: true,
        create: () => ({ dom: hoverBox(ok.text!, ok.about, ok.value, ok.unit) }),
      };
    } catch {
      return null;
    }
  });

  const apply = (view: EditorView, edits: readonly Edit[]) => {
    const { doc } = view.state;
    view.dispatch({
      changes: edits.map(({ from, to, text }) => ({
        from: offset(doc, from),
        to: offset(doc, to),
        insert: text,
      })),
    });
  };
  const rename = (view: EditorView): boolean => {
    const at = view.state.selection.main.head;
    const word = view.state.wordAt(at);
    if (!word) return false;
    void (async () => {
      const name = await options.onRename(view.state.sliceDoc(word.from, word.to));
      view.focus();
      if (!name) return;
      const { ok } = await desk.ask<{ edits: Edit[] }>("rename", {
        doc: options.doc(),
        at: place(view.state.doc, at),
        name,
      });
      apply(view, ok.edits);
    })().catch(() => undefined);
    return true;
  };
  const define = (view: EditorView): boolean => {
    const at = place(view.state.doc, view.state.selection.main.head);
    void desk
      .ask<{ list: Range[] }>("definition", { doc: options.doc(), at })
      .then(({ ok }) => ok.list[0] && reveal(ok.list[0].from))
      .catch(() => undefined);
    return true;
  };

  // In a shadow root its styles are style sheets of their own, which a page's policy lets through.
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        folding,
        foldGutter(),
        history(),
        drawSelection(),
        indentUnit.of("  "),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        autocompletion(isModelica ? { override: [complete] } : {}),
        isModelica ? [modelica, hover] : json,
        syntaxHighlighting(style),
        look,
        EditorView.contentAttributes.of({
          "aria-label": `Text of ${options.name}`,
          tabindex: "0",
        }),
        keymap.of([
          { key: "F2", run: rename },
          { key: "F12", run: define },
          // the shell runs the model
          { key: "Mod-Enter", run: () => true },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !setting) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });

  const reveal = (at: Place) => {
    const head = offset(view.state.doc, at);
    view.dispatch({
      selection: { anchor: head },
      effects: EditorView.scrollIntoView(head, { y: "center" }),
    });
    view.focus();
  };

  return {
    setText(text) {
      if (view.state.doc.toString() === text) return;
      setting = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      setting = false;
    },
    diagnose(list) {
      const { doc } = view.state;
      const marks = list.filter((d) => Array.isArray(d.from)).map((d) => mark(doc, d));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    reveal,
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function hoverBox(text: string, about?: string, value?: number | null, unit?: string) {
  const box = document.createElement("div");
  box.className = "cm-hover";
  const code = document.createElement("code");
  code.textContent = text;
  box.append(code);
  const more = [about, typeof value === "number" ? `now ${value} ${unit ?? ""}` : undefined];
  for (const line of more.filter(Boolean)) {
    const p = document.createElement("p");
    p.textContent = line!;
    box.append(p);
  }
  return box;
}
