/** @file `sconce batch` as a process that SIGTERM ends. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll, expect, test } from "vitest";
import { fixture } from "../command.fixture.js";

const COMMAND = fileURLToPath(new URL("../../../sconce/bin/sconce.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sconce-batch-process-"));
afterAll(() => rmSync(folder, { recursive: true }));

mkdirSync(join(folder, "shards"));
for (let i = 0; i < 12; i++) {
  const image = Tensor.fromData(new Float32Array(3 * 64).fill(i / 12), "float32", [3, 1, 8, 8]);
  writeFileSync(join(folder, "shards", `s${i}.safetensors`), writeSafetensors(new Map([["image", image]])));
}
writeFileSync(
  join(folder, "slow.mjs"),
  "export default { before: (columns) => new Promise((resolve) => setTimeout(() => resolve(columns), 400)) };",
);

interface Line {
  readonly event: string;
  readonly written: number;
  readonly skipped: number;
  readonly stopped: boolean;
}

/** Runs the command, and ends it with a signal after the first shard. */
async function run(output: string, options: readonly string[], signal?: NodeJS.Signals) {
  const args = ["batch", fixture("digits"), "--inputs", "shards/*", "--output", output, "--map", "slow.mjs"];
  const child = spawn(process.execPath, [COMMAND, ...args, "--workers", "2", "--json", ...options], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  createInterface(child.stdout).on("line", (line) => {
    lines.push(JSON.parse(line) as Line);
    const shards = lines.filter(({ event }) => event === "shard");
    if (signal !== undefined && lines.at(-1)!.event === "shard" && shards.length === 1) child.kill(signal);
  });
  const [code] = (await once(child, "close")) as [number | null];
  const written = readdirSync(join(folder, output)).filter((name) => name !== ".sconce-batch");
  return { code, end: lines.at(-1)!, written };
}

test.each([
  ["SIGTERM", "20000"],
  ["SIGTERM", "0"],
  ["SIGINT", "20000"],
] as const)("%s leaves whole files only, with %s ms for shards in work", async (signal, grace) => {
  const output = `${signal}-${grace}`;
  const first = await run(output, ["--grace", grace], signal);
  expect(first.code).toBe(1);
  expect(first.end).toMatchObject({ event: "end", stopped: true });
  expect(first.written).toHaveLength(first.end.written);
  expect(first.end.written).toBeGreaterThan(0);
  expect(first.end.written).toBeLessThan(12);
  const second = await run(output, []);
  expect(second).toMatchObject({ code: 0, end: { skipped: first.end.written, stopped: false } });
  expect(second.written.sort()).toEqual(readdirSync(join(folder, "shards")).sort());
});

test("a plugin may be an installed package", async () => {
  const place = join(folder, "node_modules", "my-plugin");
  mkdirSync(place, { recursive: true });
  const fields = { name: "my-plugin", type: "module", exports: { import: "./main.js" } };
  writeFileSync(join(place, "package.json"), JSON.stringify(fields));
  writeFileSync(join(place, "main.js"), "export default { name: 'mine' };");
  const { code, end } = await run("plugin", ["--plugin", "my-plugin", "--part", "0/12"]);
  expect([code, end.written]).toEqual([0, 1]);
});

/** Whether a Node removes types from modules. */
const runsTypes = (node: string): boolean =>
  /strip|transform/.test(String(spawnSync(node, ["-p", "process.features.typescript"]).stdout));
/** This Node, or the one that SCONCE_TEST_NODE names, where it runs TypeScript. */
const typed = [process.env["SCONCE_TEST_NODE"] ?? "", process.execPath].find(
  (node) => node !== "" && runsTypes(node),
);

const TYPED_MAP = `import { type Column, defineBatchMap } from "sconce/batch";
interface Row { readonly best: number }
export default defineBatchMap({
  after: ({ o0 }, _, { rows }) => {
    const all: readonly number[] = [...o0!.toFloat64Array()];
    const found: Row[] = Array.from({ length: rows }, (_, row) => {
      const own = all.slice(row * 10, row * 10 + 10);
      return { best: own.indexOf(Math.max(...own)) };
    });
    return { best: found.map(({ best }) => best) as Column };
  },
});
`;

/** Runs the command with a map of types, as a user whose project has Sconce. */
function withTypes(node: string, output: string) {
  const place = join(folder, "typed");
  mkdirSync(join(place, "node_modules"), { recursive: true });
  rmSync(join(place, "node_modules", "sconce"), { force: true });
  symlinkSync(fileURLToPath(new URL("../../../sconce", import.meta.url)), join(place, "node_modules/sconce"));
  writeFileSync(join(place, "package.json"), '{ "type": "module" }');
  writeFileSync(join(place, "map.ts"), TYPED_MAP);
  const args = ["batch", fixture("digits"), "--inputs", join(folder, "shards", "s1*"), "--map", "map.ts"];
  const run = spawnSync(
    node,
    [COMMAND, ...args, "--output", output, "--format", "ndjson", "--workers", "1"],
    { cwd: place, encoding: "utf8" },
  );
  return { ...run, place };
}

test.skipIf(typed === undefined)(
  `a map may have types${typed === undefined ? ": skipped, this Node does not run TypeScript" : ""}`,
  () => {
    const { status, stderr, place } = withTypes(typed!, "out");
    expect([status, stderr]).toEqual([0, ""]);
    expect(readFileSync(join(place, "out", "s1.ndjson"), "utf8")).toMatch(/^(\{"best":\d\}\n){3}$/);
  },
);

test.skipIf(runsTypes(process.execPath))("a Node that does not run TypeScript says what to do", () => {
  const { status, stderr } = withTypes(process.execPath, "never");
  expect(status).toBe(2);
  expect(stderr).toContain("error BATCH_MAP: the module map.ts cannot be loaded: Unknown file extension");
  expect(stderr).toMatch(
    /fix compile it .*NODE_OPTIONS="--import @oxc-node\/core\/register"; Node 22\.18.* this is v/,
  );
});
