// Writes x.br and x.gz beside each file of a site, for servers that send what lies ready:
//
//   node pack.mjs FOLDER
//
// nginx (gzip_static, brotli_static), Caddy (precompressed) and Apache (MultiViews) do; others leave them alone.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const LEAST = 1000; // bytes: less is not worth a file of its own

/** The files of a folder that are worth it, with what they become. */
export function pack(folder) {
  const packed = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (!entry.isFile() || /\.(br|gz)$/.test(path)) continue;
    const bytes = readFileSync(path);
    if (bytes.length < LEAST) continue;
    const brotli = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
    const gzip = gzipSync(bytes, { level: 9 });
    writeFileSync(`${path}.br`, brotli);
    writeFileSync(`${path}.gz`, gzip);
    packed.push({ path, plain: bytes.length, gzip: gzip.length, brotli: brotli.length });
  }
  return packed;
}

if (process.argv[1]?.endsWith("pack.mjs")) {
  const all = pack(process.argv[2]);
  const sum = (key) => Math.round(all.reduce((bytes, one) => bytes + one[key], 0) / 1000);
  console.log(`${sum("plain")} kB: ${sum("gzip")} by gzip, ${sum("brotli")} by Brotli`);
}
