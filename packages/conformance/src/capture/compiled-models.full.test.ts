/** @file Models as compilers and minifiers write them, with their source maps. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Dim, exportProgram, nn, torch } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { type TransformOptions, transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";

interface Output {
  readonly code: string;
  readonly map: object;
}
interface Recorded {
  readonly text: string;
  readonly outputs: Readonly<Record<string, Output>>;
}
interface Case {
  readonly model: nn.Module;
  readonly args: readonly unknown[];
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

const { text, outputs } = fixtureJson("capture/compiled-models.json.gz") as Recorded;

const byEsbuild = (options: TransformOptions): Output => {
  const shared: TransformOptions = { loader: "ts", format: "esm", sourcemap: "external", target: "es2022" };
  const { code, map } = transformSync(text, { ...shared, sourcefile: "models.ts", ...options });
  return { code, map: JSON.parse(map) as object };
};

const OUTPUTS: Readonly<Record<string, Output>> = {
  ...outputs,
  // What tsx sets.
  tsx: byEsbuild({ keepNames: true, minifyWhitespace: true, target: "node20" }),
  esbuild: byEsbuild({}),
  "esbuild with names": byEsbuild({ keepNames: true }),
  "esbuild of es2020": byEsbuild({ keepNames: true, target: "es2020" }),
  "esbuild minified": byEsbuild({ minify: true }),
  "esbuild minified with names": byEsbuild({ minify: true, keepNames: true }),
};
/** Outputs in which the parameters have other names. */
const RENAMED = /tsx|esbuild|minified/;
const NAMES = Object.keys(OUTPUTS);

const folder = mkdtempSync(join(tmpdir(), "sconce-compiled-"));
const host = globalThis as { sconceOfTest?: object };
beforeAll(() => {
  host.sconceOfTest = { torch, nn };
});
afterAll(() => {
  delete host.sconceOfTest;
  rmSync(folder, { recursive: true });
});

let count = 0;
/** Imports a module as Node does, without vitest's own transform. */
async function load(code: string, map?: object, isInline = true): Promise<Readonly<Record<string, Case>>> {
  const name = `models-${++count}.mjs`;
  const data = map && Buffer.from(JSON.stringify(map)).toString("base64");
  const url = isInline ? `data:application/json;base64,${data}` : `${name}.map`;
  if (map !== undefined && !isInline) writeFileSync(join(folder, `${name}.map`), JSON.stringify(map));
  writeFileSync(join(folder, name), map === undefined ? code : `${code}\n//# sourceMappingURL=${url}\n`);
  writeFileSync(join(folder, "models.ts"), text);
  const module = (await import(pathToFileURL(join(folder, name)).href)) as { cases: Record<string, Case> };
  return module.cases;
}

/** The inputs of the program, and the warnings of its export. */
function exported({ model, args, kwargs }: Case): { inputs: string[]; warnings: string[] } {
  const warnings: string[] = [];
  const program = exportProgram(model, args, {
    ...(kwargs && { kwargs }),
    onWarning: (message) => warnings.push(message),
  });
  const placeholders = [...program.graph.nodes()].filter(({ op }) => op === "placeholder");
  const inputs = placeholders.map(({ name }) => name).filter((name) => !name.startsWith("p_"));
  return { inputs, warnings };
}

/** The names that PyTorch gives the inputs of these models. */
const INPUTS: Readonly<Record<string, readonly string[]>> = {
  net: ["x", "scale"],
  shift: ["x"],
  masked: ["x", "mask"],
  keywords: ["x", "scale"],
  method: ["x", "mask_0"],
};

describe("models keep the names of their inputs, and export without warnings", () => {
  test.each(NAMES)("%s", async (name) => {
    const { code, map } = OUTPUTS[name]!;
    const cases = await load(code, map);
    for (const [key, inputs] of Object.entries(INPUTS))
      expect({ key, ...exported(cases[key]!) }).toEqual({ key, inputs, warnings: [] });
  });

  test.each(["tsx", "bun-minified", "swc-minified"])("%s, with the map in a file", async (name) => {
    const { code, map } = OUTPUTS[name]!;
    const cases = await load(code, map, false);
    expect(exported(cases["masked"]!).inputs).toEqual(["x", "mask"]);
  });

  test("the names of dynamic shapes are those of the source, too", async () => {
    const { code, map } = OUTPUTS["tsx"]!;
    const { masked } = await load(code, map);
    const program = exportProgram(masked!.model, masked!.args, {
      dynamicShapes: { x: { 0: Dim.AUTO }, mask: { 0: Dim.AUTO } },
    });
    expect(program.rangeConstraints.size).toBe(1);
  });
});

test.each(NAMES)("a wrong condition is found in the output of %s", async (name) => {
  const { code, map } = OUTPUTS[name]!;
  const { wrong } = await load(code, map);
  const thrown: unknown = await Promise.resolve()
    .then(() => exported(wrong!))
    .catch((error: unknown) => error);
  expect(isSconceError(thrown) && thrown.code).toBe("SOURCE_CHECK");
});

test.each(NAMES.filter((name) => RENAMED.test(name)))("%s has renamed parameters", async (name) => {
  // Without a map nothing has the first names.
  const { inputs } = exported((await load(OUTPUTS[name]!.code))["masked"]!);
  expect(inputs).toHaveLength(2);
  expect(inputs).not.toEqual(["x", "mask"]);
});

test("a map that is damaged, or of another file, changes nothing", async () => {
  const { code } = OUTPUTS["esbuild"]!;
  for (const map of [
    {},
    { version: 3, sources: [], mappings: "%" },
    { version: 3, sources: ["a"], mappings: "" },
  ]) {
    const { masked } = await load(code, map);
    expect(exported(masked!).inputs).toEqual(["x2", "mask2"]);
  }
});
