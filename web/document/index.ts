import type { OpenDocument } from "../app/contracts.ts";
import { JsonDocument } from "./document.ts";

export { autosave } from "./autosave.ts";
export { EMPTY } from "./diagram.ts";
export type { Change } from "./document.ts";
export { JsonDocument } from "./document.ts";

/** Opens a document of JSON; an empty text is an empty diagram. Throws where it cannot be read. */
export const openDocument: OpenDocument = (name, text) => new JsonDocument(name, text);
