// The models that come with foliot, as gallery.mjs has found them.
import list from "./gallery.json";

export interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly about: string;
  /** Its document; models that are code have none. */
  readonly file?: string;
  /** A picture of a run: lines as numbers x y x y …, 240 by 96. */
  readonly lines: readonly string[];
}
export const entries: readonly Entry[] = list;
