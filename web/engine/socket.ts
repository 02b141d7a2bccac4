// A desk behind the socket of `foliot studio`.
import type { Carrier, Ears } from "./client.ts";

/** True on a page that `foliot studio` has sent: its address has a token as its first part. */
export function isServed(where: Location): boolean {
  const own = where.hostname === "127.0.0.1" || where.hostname === "localhost";
  return own && /^\/[0-9a-f]{32}\/$/.test(where.pathname);
}

export function openSocket(onFiles: () => void) {
  return (ears: Ears): Promise<Carrier> =>
    new Promise((resolve, reject) => {
      const url = new URL("desk", document.baseURI);
      url.protocol = "ws:";
      url.hash = "";
      const socket = new WebSocket(url, "foliot-desk");
      socket.binaryType = "arraybuffer";
      socket.onopen = () => {
        resolve({
          send: (bytes) => socket.send(bytes),
          close: () => socket.close(),
        });
      };
      socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
        if (typeof data === "string") onFiles();
        else ears.bytes(new Uint8Array(data));
      };
      socket.onclose = ({ reason }) => {
        const why = reason || "the connection to foliot studio is closed";
        reject(new Error(why));
        ears.closed(why);
      };
    });
}
