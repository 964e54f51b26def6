/** @file Writes the page with its module: `node dist/main.js [FOLDER]`. */
import { fileURLToPath } from "node:url";
import { writePage } from "./write-page.js";

const folder = process.argv[2] ?? fileURLToPath(new URL("page/", import.meta.url));
console.log(
  (await writePage(folder)).map(({ name, gzipBytes }) => `${name}: ${gzipBytes} B gzip`).join("\n"),
);
