// What part of the sheet is seen: pixels of the screen are sheet * scale + offset.
import type { Box, Point } from "./geometry.ts";

export const SMALLEST = 0.1;
export const LARGEST = 4;

export class Camera {
  x = 0;
  y = 0;
  scale = 1;

  toSheet(px: number, py: number): Point {
    return [(px - this.x) / this.scale, (py - this.y) / this.scale];
  }
  toScreen(x: number, y: number): Point {
    return [x * this.scale + this.x, y * this.scale + this.y];
  }
  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
  }
  /** What is under the point of the screen stays there. */
  zoomAt(px: number, py: number, factor: number): void {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.x = px - ((px - this.x) * scale) / this.scale;
    this.y = py - ((py - this.y) * scale) / this.scale;
    this.scale = scale;
  }
  fit(box: Box | undefined, width: number, height: number, most = 1.25): void {
    if (!box || width <= 0 || height <= 0) {
      [this.x, this.y, this.scale] = [0, 0, 1];
      return;
    }
    const scale = Math.min(width / Math.max(box.w, 1), height / Math.max(box.h, 1), most);
    this.scale = Math.max(SMALLEST, scale);
    this.x = Math.round(width / 2 - (box.x + box.w / 2) * this.scale);
    this.y = Math.round(height / 2 - (box.y + box.h / 2) * this.scale);
  }
  seen(width: number, height: number): Box {
    const [x, y] = this.toSheet(0, 0);
    return { x, y, w: width / this.scale, h: height / this.scale };
  }
  get state(): readonly [number, number, number] {
    return [this.x, this.y, this.scale];
  }
  set state([x, y, scale]: readonly [number, number, number]) {
    [this.x, this.y, this.scale] = [x, y, scale];
  }
}
