// The scene of a model whose format has no place for one: a file beside it, ball.mo and ball.scene.json. A
// diagram has its scene in itself.
import type { Scene, Shape } from "../scene/model.ts";
import { FileError, readFile, writeFile, type Listed } from "./files.ts";

const ENDING = ".scene.json";
export const isSceneName = (name: string) => name.endsWith(ENDING);
export const sceneName = (model: string) => model.replace(/(\.mo|\.json)$/, "") + ENDING;

export const printScene = (scene: Scene | undefined) =>
  `${JSON.stringify(scene ?? null, null, 2)}\n`;

const isShape = (value: unknown): value is Shape =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Shape).kind === "string" &&
  Array.isArray((value as Shape).position);

/** A scene as it was printed; undefined: there is none. Throws where it is something else. */
export function parseScene(text: string): Scene | undefined {
  const value = JSON.parse(text) as Partial<Scene> | null;
  if (value === null) return undefined;
  if (typeof value !== "object" || !Array.isArray(value.shapes) || !value.shapes.every(isShape))
    throw new Error("it is no scene: a scene has a list of shapes");
  return value as Scene;
}

export interface Beside {
  readonly scene: Scene | undefined;
  /** The version of the file; empty: there is none. */
  readonly stamp: string;
}
export const nothingBeside: Beside = { scene: undefined, stamp: "" };

/** What lies beside a model of the folder. */
export async function readBeside(model: string, files: readonly Listed[]): Promise<Beside> {
  const name = sceneName(model);
  if (!files.some((file) => file.name === name)) return nothingBeside;
  try {
    const { text, stamp } = await readFile(name);
    return { scene: parseScene(text), stamp };
  } catch (error) {
    if (error instanceof FileError && error.status === 404) return nothingBeside;
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

/** Writes it, where it is another than what lies there. */
export async function writeBeside(
  model: string,
  scene: Scene | undefined,
  was: Beside,
): Promise<Beside> {
  if (printScene(scene) === printScene(was.scene)) return was;
  return { scene, stamp: await writeFile(sceneName(model), printScene(scene), was.stamp || "*") };
}
