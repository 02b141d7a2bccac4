import type { MountScene } from "../app/contracts.ts";

export const mountScene: MountScene = () => {
  throw new Error("scene: not there yet");
};
