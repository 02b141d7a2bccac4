// A pen that writes SVG: what pictures on a canvas use of its own, so that one drawing makes both.

import { escape } from "./svg.ts";

export type Pen = Pick<
  CanvasRenderingContext2D,
  | "font"
  | "fillStyle"
  | "strokeStyle"
  | "textAlign"
  | "lineWidth"
  | "lineJoin"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "stroke"
  | "fillText"
  | "fillRect"
>;

/** What a picture is drawn with: a pen, its size, and the colours of the page. */
export interface Paper {
  readonly pen: Pen;
  readonly width: number;
  readonly height: number;
  readonly token: (name: string) => string;
}

const anchors: Readonly<Record<string, string>> = { center: "middle", right: "end" };

class SvgPen implements Pen {
  font = "";
  fillStyle = "";
  strokeStyle = "";
  textAlign: CanvasTextAlign = "left";
  lineWidth = 1;
  lineJoin: CanvasLineJoin = "miter";
  parts = "";
  #path = "";

  beginPath(): void {
    this.#path = "";
  }
  moveTo(x: number, y: number): void {
    this.#path += `M${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  lineTo(x: number, y: number): void {
    this.#path += `L${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  stroke(): void {
    this.parts += `<path d="${this.#path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`;
  }
  fillText(text: string, x: number, y: number): void {
    this.parts += `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchors[this.textAlign] ?? "start"}" fill="${this.fillStyle}">${escape(text)}</text>`;
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    this.parts += `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${w.toFixed(1)}" height="${h.toFixed(1)}" fill="${this.fillStyle}"/>`;
  }
}

/** A picture that was drawn on a canvas, to be given away. */
export interface Figure {
  png(): Promise<Blob | null>;
  svg(): string;
}

/** Draws on a canvas, and once more as SVG when it is asked for. */
export function drawOn(canvas: HTMLCanvasElement, draw: (paper: Paper) => void): Figure {
  const style = getComputedStyle(canvas);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const { clientWidth: width, clientHeight: height } = canvas;
  const on = (to: HTMLCanvasElement, ground: string): void => {
    to.width = width * devicePixelRatio;
    to.height = height * devicePixelRatio;
    const pen = to.getContext("2d")!;
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.fillStyle = ground;
    pen.fillRect(0, 0, width, height);
    draw({ pen, width, height, token });
  };
  on(canvas, "transparent");
  return {
    png() {
      const copy = document.createElement("canvas");
      on(copy, token("--panel"));
      return new Promise((resolve) => copy.toBlob(resolve, "image/png"));
    },
    svg() {
      const pen = new SvgPen();
      draw({ pen, width, height, token });
      return (
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
        `font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="${token("--panel")}"/>${pen.parts}</svg>\n`
      );
    },
  };
}
