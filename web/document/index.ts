import type { OpenDocument } from "../app/contracts.ts";

export const openDocument: OpenDocument = () => {
  throw new Error("document: not there yet");
};
