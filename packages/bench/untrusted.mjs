/**
 * @file `npm run bench:untrusted -w @sconce/bench [-- --json] [-- --over MS] [-- NAME]`: the CPU
 * time and the memory that each class of hostile input takes, in a warm process. NAME is a part of
 * a name. Inputs are made in this process and read in another one.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createViteServer } from "vitest/node";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MEBI = 2 ** 20;

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean" }, over: { type: "string", default: "0" } },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), "sconce-untrusted-"));
const reader = fork(fileURLToPath(new URL("untrusted-reader.mjs", import.meta.url)));
try {
  const { cases, sound } = await classes();
  await measured("", sound(), "pt2");
  const rows = [];
  for (const [name, make, kind] of cases) {
    if (positionals.length > 0 && !positionals.some((part) => name.includes(part))) continue;
    const row = await measured(name, make(), kind);
    if (row.milliseconds < Number(values.over)) continue;
    rows.push(row);
    if (!values.json) console.log(textOf(row));
  }
  if (values.json) console.log(JSON.stringify(rows, null, 2));
} finally {
  reader.kill();
  rmSync(folder, { recursive: true });
}
// The server of the sources keeps the process alive.
process.exit();

/** The inputs by name, which the tests use too. */
async function classes() {
  const server = await createViteServer({
    root: ROOT,
    configFile: false,
    logLevel: "error",
    server: { middlewareMode: true, watch: null },
    appType: "custom",
    resolve: { conditions: ["@sconce/source"] },
  });
  const load = (name) => server.ssrLoadModule(`/packages/formats/src/pt2/${name}.fixture.ts`);
  const { ARCHIVE_CLASSES } = await load("classes-archive");
  const { PROGRAM_CLASSES } = await load("classes-program");
  const { LARGE_ARCHIVES, LARGE_TEXTS } = await load("classes-large");
  const { makePt2 } = await load("pt2");
  const cases = [
    ...[...ARCHIVE_CLASSES, ...PROGRAM_CLASSES].map(([id, what, , make]) => [`${id} ${what}`, make, "pt2"]),
    ...LARGE_ARCHIVES.map(([what, make]) => [what, make, "pt2"]),
    ...LARGE_TEXTS.map(([what, make]) => [`.sir: ${what}`, make, "sir"]),
  ];
  return { cases, sound: makePt2 };
}

async function measured(name, input, kind) {
  const path = join(folder, "input");
  writeFileSync(path, input);
  const bytes = readFileSync(path).length;
  reader.send({ path, kind });
  const [{ code, milliseconds, peak }] = await once(reader, "message");
  return { name, code, bytes, milliseconds, peak, share: peak / (4 * bytes + 64 * MEBI) };
}

function textOf({ name, code, bytes, milliseconds, peak, share }) {
  const figures = [
    `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`.padStart(8),
    `${(bytes / 1e6).toFixed(2)} MB`.padStart(9),
    `${(peak / MEBI).toFixed(0)} MiB`.padStart(8),
    `${(100 * share).toFixed(0)} %`.padStart(6),
  ];
  return `${figures.join(" ")}  ${name}: ${code}`;
}
