// Packs recorded programs: node pack.mjs IN_DIR OUT_DIR writes NAME.jsonl.br for each NAME.jsonl.
// Programs of a file are alike, at a greater distance than gzip looks back.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [from, to] = process.argv.slice(2);
for (const name of readdirSync(from).filter((one) => one.endsWith(".jsonl"))) {
  const text = readFileSync(join(from, name));
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  writeFileSync(join(to, `${name}.br`), brotliCompressSync(text, { params }));
}
