/** @file A bundle of a page, which loads kernels and checks when it needs them. */
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import type * as sconce from "./index.js";

const folder = await realpath(await mkdtemp(join(tmpdir(), "sconce-page-")));
afterAll(() => rm(folder, { recursive: true }));

await build({
  stdin: {
    contents: 'export { createSconce, Tensor } from "./index.ts";',
    resolveDir: import.meta.dirname,
    sourcefile: "page.js",
  },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  conditions: ["@sconce/source"],
  outdir: folder,
  entryNames: "page",
  outExtension: { ".js": ".mjs" },
});

/** The modules of a page, with nothing loaded yet. */
const open = (): Promise<typeof sconce> =>
  import(pathToFileURL(join(folder, "page.mjs")).href) as Promise<typeof sconce>;

const { createSconce, Tensor } = await open();
const TEXT = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2, 2]) { %y: f32[2, 2] = aten.mm.default(%x, %x) return (%y) }`;
const ones = (): sconce.Tensor => Tensor.from([1, 1, 1, 1], [2, 2], "float32");

test("work that does not wait says what to wait for", () => {
  const session = createSconce();
  const program = session.parseIr(TEXT);
  expect(() => session.transform(program, "dce", { check: true })).toThrow(
    expect.objectContaining({
      code: "PART_NOT_LOADED",
      fix: expect.stringContaining("session.prepare()"),
    }),
  );
  expect(() => session.bisect(program, "dce")).toThrow(expect.objectContaining({ code: "PART_NOT_LOADED" }));
});

test("compile loads the kernels, prepare all that a page leaves out", async () => {
  const session = createSconce();
  const program = session.parseIr(TEXT);
  const executable = await session.compile(program);
  expect((await executable.run([ones()])).map(String)).toEqual(["tensor([[2., 2.],\n        [2., 2.]])"]);
  await session.prepare();
  expect(session.transform(program, "dce", { check: true })).toBe(program);
  expect(session.bisect(program, "dce").culprit).toBeUndefined();
});

test("a file is read, lowered, folded and run", async () => {
  const file = new URL("../examples/mlp.pt2", import.meta.url);
  const session = createSconce();
  const program = await session.load(await readFile(file));
  const lowered = session.transform(program, "decompose,fold-constants{weights=true},cse,dce");
  expect(lowered.graph.size).toBeGreaterThan(5);
  const executable = await session.compile(lowered);
  const input = Tensor.from([0.5, 1, 2, 3, 4, 5, -1, -2, -3, 0, 0, 0], [4, 3], "float32");
  const [result] = await executable.run([input]);
  const [unlowered] = await (await session.compile(program)).run([input]);
  expect(String(result)).toBe(String(unlowered));
});
