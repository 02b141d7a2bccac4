// What nodes look like, as data: palette, sheet, help and exported drawings show the same picture.
// Paths are drawn in a box of 40 by 24 around the middle of the node.

export type Shape = "box" | "circle" | "triangle" | "bar" | "tag" | "pill";
export interface Symbol {
  readonly shape: Shape;
  /** At least; more ports make it higher. Multiples of 20, so that ports lie on the grid. */
  readonly size: readonly [number, number];
  /** With {parameters} in it. */
  readonly text?: string;
  readonly italic?: boolean;
  /** One above the other. */
  readonly fraction?: readonly [string, string];
  /** Drawn with the ink. */
  readonly path?: string;
  /** Drawn faintly: axes and the like. */
  readonly faint?: string;
  /** Drawn with the first signal's colour. */
  readonly curve?: string;
  /** Signs or names beside the inputs. */
  readonly marks?: "signs" | "names";
}

const AXES = "M2 12H38M20 1V23";
const PLOT = "M3 2V22H38";

const box = (
  more: Omit<Symbol, "shape" | "size"> & { size?: readonly [number, number] },
): Symbol => ({
  shape: "box",
  size: [60, 40],
  ...more,
});

const table: Readonly<Record<string, Symbol>> = {
  Derivative: box({ fraction: ["du", "dt"], italic: true }),
  Integrator: box({ fraction: ["1", "s"], italic: true }),
  Memory: box({ path: "M8 4H32M8 20H32M8 4L14 12L8 20M32 4L26 12L32 20" }),
  "State Space": box({ text: "x′ = Ax + Bu", italic: true, size: [100, 40] }),
  "Transfer Function": box({ fraction: ["n(s)", "d(s)"], italic: true, size: [80, 60] }),
  "Transport Delay": box({ faint: PLOT, path: "M3 18H12V8H24", curve: "M16 18H25V8H37" }),
  "Variable Transport Delay": box({
    faint: PLOT,
    path: "M3 18H12V8H24",
    curve: "M16 18H25V8H37",
  }),
  "Zero-Pole": box({ fraction: ["k(s − z)", "(s − p)"], italic: true, size: [80, 60] }),
  "Discrete Integrator": box({ fraction: ["T", "z − 1"], italic: true }),
  "Discrete State Space": box({ text: "xₖ₊₁ = Axₖ + Buₖ", italic: true, size: [120, 40] }),
  "Discrete Transfer Function": box({ fraction: ["n(z)", "d(z)"], italic: true, size: [80, 60] }),
  "Discrete Zero-Pole": box({ fraction: ["k(z − z₁)", "(z − p)"], italic: true, size: [80, 60] }),
  "Discrete Filter": box({ fraction: ["n(z⁻¹)", "d(z⁻¹)"], italic: true, size: [80, 60] }),
  "Unit Delay": box({ fraction: ["1", "z"], italic: true }),
  "Zero-Order Hold": box({ faint: PLOT, curve: "M3 20H11V14H19V7H27V11H35" }),
  "Direct Look-Up Table (2D)": box({
    faint: "M6 3H34V21H6ZM6 9H34M6 15H34M15 3V21M25 3V21",
    curve: "M15 9H25V15H15Z",
  }),
  "Look-Up Table": box({ faint: AXES, curve: "M4 19L14 17L24 7L36 4" }),
  "Look-Up Table (2D)": box({
    faint: "M6 3H34V21H6ZM6 9H34M6 15H34M15 3V21M25 3V21",
    curve: "M8 19L16 14L24 12L32 5",
  }),
  Polynomial: box({ text: "p(u)", italic: true }),
  "Pre Look-Up Index Search": box({
    faint: "M6 18H34",
    path: "M8 14V18M15 14V18M21 14V18M28 14V18M33 14V18",
    curve: "M23 3V11M20 8L23 11L26 8",
  }),
  "Interpolation (2D) Using Pre Look-Up": box({
    faint: "M6 3H34V21H6ZM6 12H34M20 3V21",
    curve: "M10 18L30 6",
  }),
  Absolute: box({ text: "|u|", italic: true }),
  Gain: { shape: "triangle", size: [60, 40], text: "{Gain}" },
  "Math Function 1": box({ text: "{Function}" }),
  "Math Function 2": box({ text: "{Function}", size: [80, 40] }),
  "Min Max": box({ text: "{Function}" }),
  Product: box({ marks: "signs", size: [40, 40] }),
  "Rounding Function": box({ text: "{Function}" }),
  Sign: box({ faint: AXES, curve: "M4 20H20V4H36" }),
  Sum: { shape: "circle", size: [40, 40], marks: "signs" },
  "Trigonometric Function": box({ text: "{Function}" }),
  "Bitwise Logical Operator": box({ text: "{Operator} {Second Operand}", size: [80, 40] }),
  "Combinatorial Logic": box({ text: "01\u2009→\u200910", size: [80, 40] }),
  "Logical Operator": box({ text: "{Logical Operator}" }),
  "Magnitude-Angle to Complex": box({
    text: "r∠φ",
    italic: true,
    size: [80, 40],
    marks: "names",
  }),
  "Real-Imaginary to Complex": box({ text: "a + ib", italic: true, size: [80, 40] }),
  "Relational Operator": box({ text: "{Relational Operator}" }),
  "Resolve Complex": box({ text: "{Function}", size: [80, 40] }),
  "Dot Product": box({ text: "u · v", italic: true }),
  "Matrix 1": box({ text: "{Function}", size: [80, 40] }),
  "Matrix 2": box({ text: "{Function}", size: [80, 40] }),
  Backlash: box({ faint: AXES, curve: "M6 21L22 3H34L18 21Z" }),
  "Coulomb and Viscous Friction": box({ faint: AXES, curve: "M4 21L20 16V8L36 3" }),
  "Dead Zone": box({ faint: AXES, curve: "M5 20L14 12H26L35 4" }),
  "Manual Switch": box({ path: "M4 6H13M4 18H13M29 12H37", curve: "M15 7L27 11" }),
  "Multi-Port Switch": box({
    path: "M4 4H12M4 12H12M4 20H12M29 12H37",
    curve: "M14 5L27 11",
    size: [60, 60],
  }),
  Quantizer: box({ faint: AXES, curve: "M4 21H10V16H16V12H24V8H30V3H36" }),
  "Rate Limiter": box({ faint: PLOT, path: "M4 20H10V5H36", curve: "M10 20L28 5" }),
  Relay: box({ faint: AXES, curve: "M4 19H26V5M14 19V5H36" }),
  Saturation: box({ faint: AXES, curve: "M4 20H13L27 4H36" }),
  Switch: box({ path: "M4 4H13M4 20H13M29 12H37", curve: "M15 5L27 11", size: [60, 60] }),
  Counter: box({ text: "1 2 3 …" }),
  "Cumulative Function": box({ text: "{Function}" }),
  "Data Type Conversion": box({ text: "→ {Convert to}", size: [80, 40] }),
  "Zero Crossing": box({
    faint: "M2 12H38",
    path: "M4 20L34 4",
    curve: "M16 12A3 3 0 1 0 22 12A3 3 0 1 0 16 12",
  }),
  "Initial Condition": box({ text: "[{Initial Value}]" }),
  Probe: box({ text: "{Probing}", size: [80, 40] }),
  "Signal Specification": box({ text: "{Data Type}", size: [80, 40] }),
  "Matrix Concatenation": box({ path: "M8 4H32V20H8Z", faint: "M20 4V20" }),
  Demux: { shape: "bar", size: [20, 40] },
  Merge: box({ path: "M4 5H14L24 12M4 19H14L24 12M24 12H36" }),
  Mux: { shape: "bar", size: [20, 40] },
  Reshape: box({ path: "M4 6H14V18H4Z", curve: "M24 9H37V15H24Z", faint: "M16 12H22" }),
  Selector: box({ text: "u[i]", italic: true }),
  Display: { shape: "box", size: [80, 40], text: "{value}" },
  Terminator: box({ path: "M12 12H24M24 4V20M28 8V16M32 11V13", size: [40, 40] }),
  "Time vs Input": box({ faint: PLOT, curve: "M4 14C9 2 14 2 18 12S27 22 31 13S36 9 38 10" }),
  "To File": box({
    path: "M12 2H24L29 7V22H12ZM24 2V7H29",
    faint: "M15 11H26M15 15H26M15 19H22",
  }),
  "XY Graph": box({ faint: PLOT, curve: "M20 5C32 5 34 18 22 18S10 8 20 5" }),
  "To Data File": box({
    path: "M12 2H24L29 7V22H12ZM24 2V7H29",
    faint: "M15 12L20 17L25 12M20 9V17",
  }),
  Bool: box({ text: "{Boolean Value}" }),
  "Chirp Signal": box({
    faint: "M2 12H38",
    curve: "M3 12C6 2 9 2 12 12S17 22 19 12S23 2 25 12S28 22 30 12S32 2 34 12S36 22 37 12",
  }),
  Clock: { shape: "circle", size: [40, 40], path: "M20 5V12L25 15" },
  Constant: box({ text: "{Constant Value}" }),
  "Digital Clock": box({ text: "12:34" }),
  "Discrete Pulse Generator": box({ curve: "M3 20H8V6H14V20H20V6H26V20H32V6H37" }),
  Ground: box({ path: "M20 3V12M11 12H29M14 16H26M18 20H22", size: [40, 40] }),
  "Pulse Generator": box({ curve: "M3 19H9V5H17V19H24V5H32V19H37" }),
  Ramp: box({ faint: PLOT, curve: "M4 20H12L34 4" }),
  "Signal Generator": box({ curve: "M3 18L12 6V18L21 6V18L30 6V18L37 9" }),
  "Sine Wave": box({ faint: "M2 12H38", curve: "M3 12C8 0 14 0 20 12S32 24 37 12" }),
  Step: box({ curve: "M4 19H19V5H36" }),
  "Random Number": box({ faint: "M3 20H37", curve: "M4 20C12 20 14 4 20 4S28 20 36 20" }),
  "Repeating Sequence": box({ curve: "M3 19L11 5L14 19L22 5L25 19L33 5L36 19" }),
  "Uniform Random Number": box({ faint: "M3 20H37", curve: "M4 20H10V7H30V20H36" }),
  "From Data File": box({
    path: "M12 2H24L29 7V22H12ZM24 2V7H29",
    faint: "M15 14L20 9L25 14M20 9V18",
  }),
  "PID Controller": box({ text: "PID", size: [80, 40] }),
  From: { shape: "tag", size: [60, 40], text: "{Tag}" },
  Goto: { shape: "tag", size: [60, 40], text: "{Tag}" },
  "Input Port": { shape: "pill", size: [60, 40], text: "in" },
  "Output Port": { shape: "pill", size: [60, 40], text: "out" },
  Subsystem: box({ size: [100, 60], marks: "names" }),
  "Entity Sink": box({ path: "M10 12H24M19 7L24 12L19 17M28 4V20" }),
  "Entity Source": box({
    path: "M14 12H30M25 7L30 12L25 17",
    curve: "M7 9.5A2.5 2.5 0 1 0 7 14.5A2.5 2.5 0 1 0 7 9.5",
  }),
  Queue: box({
    path: "M4 5H36M4 19H36",
    curve:
      "M30 9.5A2.5 2.5 0 1 0 30 14.5A2.5 2.5 0 1 0 30 9.5M21 9.5A2.5 2.5 0 1 0 21 14.5A2.5 2.5 0 1 0 21 9.5M12 9.5A2.5 2.5 0 1 0 12 14.5A2.5 2.5 0 1 0 12 9.5",
  }),
  Server: box({
    path: "M12 3H28V21H12Z",
    curve: "M20 9.5A2.5 2.5 0 1 0 20 14.5A2.5 2.5 0 1 0 20 9.5",
  }),
  Field: box({
    curve: "M3 9C8 3 13 3 18 9S28 15 37 7M3 16C8 10 13 10 18 16S28 22 37 14",
    size: [100, 60],
    marks: "names",
  }),
  FMU: box({ text: "unit", size: [100, 60], marks: "names" }),
  "Modelica Block": box({ text: "{Class}", size: [100, 60], marks: "names" }),
  Structure: box({
    path: "M6 19L14 6L22 19L30 6L36 19",
    curve: "M6 19H36M14 6H30",
    size: [100, 60],
    marks: "names",
  }),
};

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
const folded = new Map(Object.entries(table).map(([name, symbol]) => [letters(name), symbol]));

/** The symbol of a type; one that is not known shows its name. */
export function symbolOf(type: string): Symbol {
  return folded.get(letters(type)) ?? { shape: "box", size: [100, 60], text: type, marks: "names" };
}
export const symbolNames: readonly string[] = Object.keys(table);

/** What is short for long names of functions. */
export const shortNames: Readonly<Record<string, string>> = {
  "Power 10": "10ᵘ",
  Exponential: "eᵘ",
  "Natural Log": "ln",
  Square: "u²",
  "Square Root": "√u",
  Conjugate: "conj",
  "10 Base Log": "log₁₀",
  "2 Base Log": "log₂",
  "Magnitude Square": "|u|²",
  Reciprocal: "1/u",
  Factorial: "u!",
  Power: "uᵛ",
  Hypotenuse: "√(n²+r²)",
  Modulus: "n mod r",
  Combination: "nCr",
  Permutation: "nPr",
  "Arc Tan": "atan2",
  maximum: "max",
  minimum: "min",
  magnitude: "|u|",
  angle: "∠u",
  real: "Re",
  imaginary: "Im",
  Determinant: "det",
  Hermitian: "uᴴ",
  Inverse: "u⁻¹",
  Trace: "trace",
  Transpose: "uᵀ",
  Addition: "A + B",
  Subtraction: "A − B",
  Multiplication: "A B",
  Division: "A / B",
  "!=": "≠",
  "<=": "≤",
  ">=": "≥",
  "==": "=",
  average: "mean",
};
