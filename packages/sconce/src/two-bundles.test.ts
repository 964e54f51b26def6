/** @file Two bundles of one page, each with its own copy of Sconce inside. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import type * as sconce from "./index.js";

const folder = await realpath(await mkdtemp(join(tmpdir(), "sconce-bundles-")));
afterAll(() => rm(folder, { recursive: true }));

const { outputFiles } = await build({
  stdin: {
    contents: 'export { createSconce, definePass, Tensor } from "./index.js";',
    resolveDir: import.meta.dirname.replace(/src$/, "dist"),
  },
  bundle: true,
  format: "esm",
  minify: true,
  write: false,
});

/** A copy of the bundle, as another script of the page has it. */
async function load(name: string): Promise<typeof sconce> {
  const file = join(folder, name);
  await writeFile(file, outputFiles[0]!.contents);
  return import(pathToFileURL(file).href) as Promise<typeof sconce>;
}
const [one, two] = [await load("one.mjs"), await load("two.mjs")];

const TEXT = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) { %y: f32[2] = aten.relu.default(%x) return (%y) }`;

describe("a page with two bundles of Sconce", () => {
  test("each works by itself", async () => {
    expect(one.Tensor).not.toBe(two.Tensor);
    for (const { createSconce, Tensor } of [one, two]) {
      const executable = await createSconce().compile(createSconce().parseIr(TEXT));
      const outputs = await executable.run([Tensor.from([-1, 2.5])]);
      expect(outputs.map(String)).toEqual(["tensor([0.0000, 2.5000])"]);
    }
  });

  test.each<[string, () => unknown]>([
    ["a program", () => two.createSconce().transform(one.createSconce().parseIr(TEXT), "dce")],
    [
      "a pass",
      () =>
        two
          .createSconce()
          .transform(two.createSconce().parseIr(TEXT), [
            one.definePass({ name: "same", doc: "-", run: (given) => given }),
          ]),
    ],
    [
      "a tensor",
      async () =>
        (await two.createSconce().compile(two.createSconce().parseIr(TEXT))).run([
          one.Tensor.empty([2], "float32"),
        ]),
    ],
  ])("%s of the other is refused by an error that says so", async (_, use) => {
    const error = await new Promise((resolve) => resolve(use())).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "TWO_COPIES", fix: expect.any(String) });
  });
});
