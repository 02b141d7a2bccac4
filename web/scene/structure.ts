// Masses and springs: a ball for each node, a bar for each spring, coloured by how far it is strained.
import {
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  CylinderGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Actor } from "./shapes.ts";
import { material, read } from "./shapes.ts";
import { strainColor } from "./colors.ts";
import type { Bindings, StructureNode, StructureScene } from "./model.ts";
import type { Stage } from "./stage.ts";

const UP = new Vector3(0, 1, 0);

const said: Readonly<Record<string, string>> = { red: "s2", green: "s3", blue: "s1" };
const colorOf = ({ name, fixed }: StructureNode): string => (fixed ? "ink" : (said[name] ?? "s1"));

export class StructureActor implements Actor {
  readonly object = new Group();
  readonly scene: StructureScene;
  readonly balls: InstancedMesh;
  readonly places: Vector3[];
  private readonly bars: InstancedMesh;
  private readonly springs: (readonly [number, number])[];
  private rest: number[] | undefined;
  private radius = 0.05;
  private readonly stage: Stage;
  /** The largest strain that was seen: the ends of the scale of colours. */
  strained = 1e-6;

  constructor(scene: StructureScene, stage: Stage) {
    this.scene = scene;
    this.stage = stage;
    this.springs = [...scene.springs];
    this.balls = new InstancedMesh(new SphereGeometry(1, 20, 14), material(), scene.nodes.length);
    this.bars = new InstancedMesh(
      new CylinderGeometry(1, 1, 1, 10),
      material(),
      scene.springs.length + 2 * scene.nodes.length,
    );
    this.places = scene.nodes.map(() => new Vector3());
    for (const mesh of [this.balls, this.bars]) {
      mesh.castShadow = true;
      mesh.frustumCulled = false;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      this.object.add(mesh);
    }
    this.balls.name = "nodes";
    stage.onTheme(() => {
      scene.nodes.forEach((node, i) => this.balls.setColorAt(i, stage.color(colorOf(node))));
      if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
    });
  }

  // A node that no spring of the names leads to hangs on what is nearest: the document, which has its
  // springs, is not always there.
  private attach(usual: number): void {
    if (this.rest) return; // done
    const tied = new Set(this.springs.flat());
    this.places.forEach((p, i) => {
      if (tied.has(i) || !usual) return;
      const near = this.places
        .map((q, j) => ({ j, far: i === j ? Infinity : p.distanceTo(q) }))
        .filter(({ far }) => far < 1.6 * usual)
        .sort((a, b) => a.far - b.far)
        .slice(0, 2);
      for (const { j } of near) this.springs.push([i, j]);
    });
  }

  private begin(): void {
    const middle = (list: number[]): number => list.sort((a, b) => a - b)[list.length >> 1] ?? 0;
    const length = ([a, b]: readonly [number, number]): number =>
      this.places[a]!.distanceTo(this.places[b]!);
    this.attach(middle(this.springs.map(length)));
    const lengths = this.springs.map(length);
    this.rest = lengths.map((drawn, i) => this.scene.lengths?.[i] ?? drawn);
    let size = 0;
    for (const p of this.places) size = Math.max(size, p.distanceTo(this.places[0]!));
    const usual = lengths.length
      ? [...lengths].sort((a, b) => a - b)[lengths.length >> 1]!
      : size / 10;
    this.radius =
      (lengths.length
        ? Math.min(Math.max(usual * 0.13, size * 0.008), size * 0.03)
        : size * 0.045) || 0.05;
    this.bars.count = lengths.length;
  }

  /** Strains are counted from here on. */
  drawn(bindings: Bindings): void {
    const { nodes } = this.scene;
    if (!nodes.every((node) => Number.isFinite(bindings.read(node.at[0])))) return;
    nodes.forEach((node, i) => read(bindings, node.at, 0, this.places[i]));
    this.strained = 1e-6;
    this.begin();
  }

  placeOf(name: string): Vector3 | undefined {
    return this.places[this.scene.nodes.findIndex((node) => node.name === name)];
  }

  update(bindings: Bindings): void {
    const { nodes } = this.scene;
    nodes.forEach((node, i) => read(bindings, node.at, 0, this.places[i]));
    if (!this.rest && nodes.some((node) => Number.isFinite(bindings.read(node.at[0]))))
      this.begin();
    const matrix = new Matrix4();
    const turn = new Quaternion();
    const scale = new Vector3();
    nodes.forEach((node, i) => {
      const r = this.radius * (node.fixed ? 1.3 : 1);
      this.balls.setMatrixAt(
        i,
        matrix.compose(this.places[i]!, turn.identity(), scale.set(r, r, r)),
      );
    });
    this.balls.instanceMatrix.needsUpdate = true;
    this.balls.boundingSphere = null;

    const strains = this.springs.map(([a, b], i) => {
      const rest = this.rest?.[i] ?? 0;
      return rest > 0 ? (this.places[a]!.distanceTo(this.places[b]!) - rest) / rest : 0;
    });
    this.strained = Math.max(this.strained, ...strains.map(Math.abs));
    const along = new Vector3();
    const middle = new Vector3();
    const calm = this.stage.color("soft");
    const colors = [this.stage.color("s1"), calm, this.stage.color("s2")] as const;
    const tint = new Color();
    this.springs.forEach(([a, b], i) => {
      along.copy(this.places[b]!).sub(this.places[a]!);
      const length = Math.max(along.length(), 1e-12);
      middle.copy(this.places[a]!).addScaledVector(along, 0.5);
      turn.setFromUnitVectors(UP, along.divideScalar(length));
      const w = this.radius * 0.38;
      this.bars.setMatrixAt(i, matrix.compose(middle, turn, scale.set(w, length, w)));
      this.bars.setColorAt(i, strainColor(strains[i]! / this.strained, colors, tint));
    });
    this.bars.instanceMatrix.needsUpdate = true;
    if (this.bars.instanceColor) this.bars.instanceColor.needsUpdate = true;
  }
}
