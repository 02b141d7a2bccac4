/** Files that a desk may read, by path: "gallery/ball.mo". */
export type Files = Map<string, string | Uint8Array> | Record<string, string | Uint8Array>;

type Module = BufferSource | WebAssembly.Module;

export interface DeskOptions {
  /** A clock in milliseconds; performance.now unless told. */
  now?: () => number;
  files?: Files;
  /** Bytes that the desk may take; 0 or nothing: as many as a desk usually may. */
  memory?: number;
  log?: (text: string) => void;
  /** foliot-more.wasm, or what gives it at once when it is needed. */
  more?: Module | (() => Module | null);
}

export interface Desk {
  onmessage(
    listener: (
      message: Record<string, unknown>,
      bytes: Uint8Array | undefined,
      line: string,
    ) => void,
  ): void;
  /** Instead: what it says as it comes, bytes cut anywhere. */
  onbytes(listener: (bytes: Uint8Array) => void): void;
  send(message: object | string | Uint8Array, bytes?: Uint8Array): void;
  /** Works for about so many microseconds; whether there is more to do. */
  work(budget?: number): boolean;
  close(): void;
}

export function openDesk(source: Module, options?: DeskOptions): Promise<Desk>;
