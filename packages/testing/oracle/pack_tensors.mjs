// Packs recorded tensors: node pack_tensors.mjs IN.safetensors OUT.safetensors.br
// Archives of a file are alike, at a greater distance than gzip looks back.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const [from, to] = process.argv.slice(2);
const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
writeFileSync(to, brotliCompressSync(readFileSync(from), { params }));
