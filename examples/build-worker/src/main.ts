/** @file Writes the worker with its module: `node dist/main.js [FOLDER]`. */
import { fileURLToPath } from "node:url";
import { writeWorker } from "./write-worker.js";

const folder = process.argv[2] ?? fileURLToPath(new URL("worker/", import.meta.url));
console.log(
  (await writeWorker(folder)).map(({ name, gzipBytes }) => `${name}: ${gzipBytes} B gzip`).join("\n"),
);
