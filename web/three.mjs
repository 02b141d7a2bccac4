// three.js without what no scene of ours draws: other realities, light from pictures of surroundings, materials
// other than standard, basic, points, lines, sprites and shadows, animations inside files, and the parts of
// shaders for them. A tenth of all that a visitor loads would be that. Scenes are drawn by what is left, and a
// material of a file that asks for more becomes a standard one (scene/shapes.ts).
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const three = join(dirname(fileURLToPath(import.meta.url)), "node_modules/three/src");

const same = (name) => `export class ${name} { get(texture) { return texture; } dispose() {} }`;
const nothing = (...names) => names.map((name) => `export class ${name} {}`).join("\n");

/** Modules of three.js, and what stands in their place. */
const instead = {
  "renderers/webxr/WebXRManager.js": `export class WebXRManager {
    enabled = false; isPresenting = false; cameraAutoUpdate = false;
    setAnimationLoop() {} addEventListener() {} removeEventListener() {} dispose() {}
    hasDepthSensing() { return false; } getEnvironmentBlendMode() {} }`,
  "renderers/webgl/WebGLCubeMaps.js": same("WebGLCubeMaps"),
  "renderers/webgl/WebGLCubeUVMaps.js": same("WebGLCubeUVMaps"),
  "renderers/webgl/WebGLUniformsGroups.js":
    "export class WebGLUniformsGroups { update() {} bind() {} dispose() {} }",
  "animation/AnimationClip.js": nothing("AnimationClip"),
  "animation/PropertyBinding.js":
    "export class PropertyBinding { static sanitizeNodeName(name) { return name; } }",
  "animation/tracks/NumberKeyframeTrack.js": nothing("NumberKeyframeTrack"),
  "animation/tracks/QuaternionKeyframeTrack.js": nothing("QuaternionKeyframeTrack"),
  "animation/tracks/VectorKeyframeTrack.js": nothing("VectorKeyframeTrack"),
};

/** Shaders of materials that are not there, and parts that only they or a missing feature include. */
const unused = [
  /ShaderLib\/(background|backgroundCube|cube|equirect|meshlambert|meshphong|meshtoon|meshmatcap|meshnormal|linedashed|vsm|distanceRGBA)\./,
  /ShaderChunk\/(lights_lambert|lights_phong|lights_toon|gradientmap|iridescence|transmission|clearcoat|cube_uv|envmap_common|envmap_fragment|envmap_pars|envmap_physical|envmap_vertex|logdepthbuf|batching)/,
];
/** Comments and indentation are for people. */
const plain = (text) =>
  text
    .replace(/\/\*(?! glsl)[\s\S]*?\*\//g, "")
    .replace(/\/\/.*$/gm, "")
    .replace(/^[ \t]+/gm, "")
    .replace(/\n{2,}/g, "\n");
/** Nothing of ours is written as three.js would write it. */
const unwritten = (text) => text.replace(/^\t(?:toJSON|fromJSON)\([^\n]*\{\n[\s\S]*?^\t\}$/gm, "");
const hollow = (text) => text.replace(/`[\s\S]*?`/g, "``");

export const smallThree = {
  name: "three",
  setup(build) {
    build.onResolve({ filter: /^three$/ }, () => ({
      path: join(three, "Three.js"),
      sideEffects: false,
    }));
    build.onLoad({ filter: /three[\\/]src[\\/].*\.js$/ }, ({ path }) => {
      const name = path.slice(three.length + 1).replaceAll("\\", "/");
      if (name in instead) return { contents: instead[name], loader: "js" };
      const text = readFileSync(path, "utf8");
      if (!name.endsWith(".glsl.js")) return { contents: unwritten(text), loader: "js" };
      const gone = unused.some((pattern) => pattern.test(name));
      return { contents: gone ? hollow(text) : plain(text), loader: "js" };
    });
  },
};
