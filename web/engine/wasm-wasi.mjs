// What foliot.wasm asks of its host, as WASI (preview 1) names it: a clock, files that are only read
// and lie in memory, and two outputs for what it prints when it fails. Everything else is refused.
const OK = 0,
  BAD_FD = 8,
  INVALID = 28,
  NO_ENTRY = 44,
  NOT_A_FOLDER = 54,
  READ_ONLY = 69;
const FOLDER = 3,
  FILE = 4,
  CHARACTERS = 2;
const ROOT = 3; // the folder that is open from the beginning
const FOLDER_FLAG = 2,
  CREATES = 1 | 8; // of path_open
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Files by path, and the folders that follow from them. */
class Tree {
  constructor(files) {
    this.files = new Map();
    this.folders = new Map([["", new Set()]]);
    const entries = files instanceof Map ? files : Object.entries(files ?? {});
    for (const [path, content] of entries) this.#add(path, content);
  }
  #add(path, content) {
    const parts = path.split("/").filter(Boolean);
    this.files.set(
      parts.join("/"),
      typeof content === "string" ? encoder.encode(content) : content,
    );
    for (let i = 0; i < parts.length; i++) {
      const folder = parts.slice(0, i).join("/");
      if (!this.folders.has(folder)) this.folders.set(folder, new Set());
      this.folders.get(folder).add(parts[i]);
    }
  }
  find(path) {
    if (this.folders.has(path)) return { path, folder: this.folders.get(path) };
    const bytes = this.files.get(path);
    return bytes && { path, bytes };
  }
}

function whole(folder, name) {
  const parts = [];
  for (const part of `${folder}/${name}`.split("/"))
    if (part === "..") parts.pop();
    else if (part && part !== ".") parts.push(part);
  return parts.join("/");
}

export function wasi({ now, files, log, memory }) {
  const tree = new Tree(files);
  const open = new Map([[ROOT, { ...tree.find(""), at: 0 }]]);
  let next = ROOT + 1;
  let said = "";
  let seen = new DataView(new ArrayBuffer(0));
  const view = () => {
    const buffer = memory(); // another one where the memory has grown
    if (seen.buffer !== buffer) seen = new DataView(buffer);
    return seen;
  };
  const bytes = (at, count) => new Uint8Array(memory(), at, count);
  const text = (at, count) => decoder.decode(bytes(at, count));
  const kind = (node) => (node.folder ? FOLDER : FILE);

  function put_stat(at, node) {
    bytes(at, 64).fill(0);
    view().setUint8(at + 16, kind(node));
    view().setBigUint64(at + 24, 1n, true);
    view().setBigUint64(at + 32, BigInt(node.bytes?.length ?? 0), true);
    return OK;
  }

  return {
    clock_time_get(clock, precision, at) {
      // Nanoseconds, as two words: a run looks at the clock between short parts of it.
      const time = Math.round((clock === 0 ? Date.now() : now()) * 1e6),
        to = view();
      to.setUint32(at, time % 2 ** 32, true);
      to.setUint32(at + 4, Math.floor(time / 2 ** 32), true);
      return OK;
    },
    fd_close(fd) {
      return open.delete(fd) ? OK : BAD_FD;
    },
    fd_fdstat_get(fd, at) {
      const node = open.get(fd);
      if (!node && fd > 2) return BAD_FD;
      bytes(at, 24).fill(0);
      view().setUint8(at, node ? kind(node) : CHARACTERS);
      view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
      view().setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_filestat_get(fd, at) {
      const node = open.get(fd);
      return node ? put_stat(at, node) : BAD_FD;
    },
    fd_prestat_get(fd, at) {
      if (fd !== ROOT) return BAD_FD;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name(fd, at, room) {
      if (fd !== ROOT || room < 1) return BAD_FD;
      bytes(at, 1)[0] = 0x2f; // "/"
      return OK;
    },
    fd_read(fd, list, count, read_at) {
      const node = open.get(fd);
      if (!node?.bytes) return BAD_FD;
      let sum = 0;
      for (let i = 0; i < count; i++) {
        const to = view().getUint32(list + 8 * i, true),
          room = view().getUint32(list + 8 * i + 4, true);
        const part = node.bytes.subarray(node.at, node.at + room);
        bytes(to, part.length).set(part);
        node.at += part.length;
        sum += part.length;
      }
      view().setUint32(read_at, sum, true);
      return OK;
    },
    fd_readdir(fd, to, room, cookie, used_at) {
      const node = open.get(fd);
      if (!node?.folder) return BAD_FD;
      const names = [...node.folder];
      let used = 0;
      for (let i = Number(cookie); i < names.length && used < room; i++) {
        const name = encoder.encode(names[i]);
        const entry = new Uint8Array(24 + name.length),
          head = new DataView(entry.buffer);
        head.setBigUint64(0, BigInt(i + 1), true);
        head.setBigUint64(8, BigInt(i + 1), true);
        head.setUint32(16, name.length, true);
        head.setUint8(20, kind(tree.find(whole(node.path, names[i]))));
        entry.set(name, 24);
        const part = entry.subarray(0, room - used); // one that is cut is asked for again
        bytes(to + used, part.length).set(part);
        used += part.length;
      }
      view().setUint32(used_at, used, true);
      return OK;
    },
    fd_seek(fd, offset, whence, at) {
      const node = open.get(fd);
      if (!node?.bytes) return BAD_FD;
      const from = [0, node.at, node.bytes.length][whence];
      const to = from + Number(offset);
      if (!(to >= 0)) return INVALID;
      node.at = to;
      view().setBigUint64(at, BigInt(to), true);
      return OK;
    },
    fd_write(fd, list, count, written_at) {
      if (fd !== 1 && fd !== 2) return BAD_FD;
      let sum = 0;
      for (let i = 0; i < count; i++) {
        const length = view().getUint32(list + 8 * i + 4, true);
        said += text(view().getUint32(list + 8 * i, true), length);
        sum += length;
      }
      for (let end; (end = said.indexOf("\n")) >= 0; said = said.slice(end + 1))
        log(said.slice(0, end));
      view().setUint32(written_at, sum, true);
      return OK;
    },
    path_filestat_get(fd, flags, path, length, at) {
      const node = open.has(fd) && tree.find(whole(open.get(fd).path, text(path, length)));
      return node ? put_stat(at, node) : NO_ENTRY;
    },
    path_open(fd, flags, path, length, how, base, inheriting, more, at) {
      const node = open.has(fd) && tree.find(whole(open.get(fd).path, text(path, length)));
      if (how & CREATES) return READ_ONLY;
      if (!node) return NO_ENTRY;
      if (how & FOLDER_FLAG && !node.folder) return NOT_A_FOLDER;
      open.set(next, { ...node, at: 0 });
      view().setUint32(at, next++, true);
      return OK;
    },
    proc_exit(status) {
      throw new WebAssembly.RuntimeError(`exit ${status}${said ? `: ${said}` : ""}`);
    },
  };
}
