// What was done to the scene of a model: undone and redone, in its document where that has the scene.
import { signal } from "@preact/signals";
import type { Work } from "../app/work.ts";
import { sceneJson } from "../scene/edit.ts";
import type { Scene } from "../scene/model.ts";
import { documentOf } from "./useDocument.ts";

const LABEL = "edit the scene";

interface Step {
  readonly before: Scene | undefined;
  readonly after: Scene | undefined;
  /** Changes of one gesture are undone together. */
  readonly gesture: string;
}

export class SceneHistory {
  /** Counts the changes: who shows whether something can be undone follows it. */
  readonly turn = signal(0);
  readonly #work: Work;
  #past: Step[] = [];
  #future: Step[] = [];

  constructor(work: Work) {
    this.#work = work;
  }
  get canUndo(): boolean {
    return this.turn.value >= 0 && this.#past.length > 0;
  }
  get canRedo(): boolean {
    return this.turn.value >= 0 && this.#future.length > 0;
  }

  /** Takes a scene; undefined: the one that follows from the model. */
  change(before: Scene | undefined, after: Scene | undefined, gesture = ""): void {
    const last = this.#past.at(-1);
    const joined = gesture !== "" && last?.gesture === gesture && !this.#future.length;
    if (joined) this.#past[this.#past.length - 1] = { ...last, after };
    else this.#past.push({ before, after, gesture });
    this.#future = [];
    this.#write(after, gesture);
    this.turn.value++;
  }
  undo(): Step | undefined {
    const step = this.#past.pop();
    if (!step) return undefined;
    this.#future.push(step);
    const document = this.#inDocument(step.before) ? documentOf(this.#work) : undefined;
    if (document?.undoLabel === LABEL) document.undo();
    else this.#write(step.before, "");
    this.turn.value++;
    return step;
  }
  redo(): Step | undefined {
    const step = this.#future.pop();
    if (!step) return undefined;
    this.#past.push(step);
    const document = this.#inDocument(step.after) ? documentOf(this.#work) : undefined;
    if (document?.redoLabel === LABEL) document.redo();
    else this.#write(step.after, "");
    this.turn.value++;
    return step;
  }

  // A diagram has its scene in itself; what others have, and files of glTF, are kept beside them.
  #inDocument(scene: Scene | undefined): boolean {
    const { description, scene: kept, text } = this.#work;
    const imported = scene?.shapes.some(({ kind }) => kind === "gltf") ?? kept.peek() !== undefined;
    return description.peek()?.kind === "diagram" && text.peek() !== null && !imported;
  }
  #write(scene: Scene | undefined, gesture: string): void {
    const document = this.#inDocument(scene) ? documentOf(this.#work) : undefined;
    if (!document) {
      this.#work.keepScene(scene);
      return;
    }
    if (this.#work.scene.peek()) this.#work.keepScene(undefined);
    document.change(
      LABEL,
      (draft) => draft.set([], "scene", scene && sceneJson(scene)),
      gesture ? { gesture: `scene ${gesture}` } : {},
    );
  }
}

const histories = new WeakMap<Work, SceneHistory>();
export function sceneHistory(work: Work): SceneHistory {
  let history = histories.get(work);
  if (!history) histories.set(work, (history = new SceneHistory(work)));
  return history;
}
