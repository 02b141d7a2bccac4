import type { MountSheet } from "../app/contracts.ts";

export const mountSheet: MountSheet = () => {
  throw new Error("sheet: not there yet");
};
