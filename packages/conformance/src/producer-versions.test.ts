/** @file Programs in the files of PyTorch 2.5 to 2.14; `oracle/producer_versions.py` makes them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type ExportedProgram, programText } from "@sconce/ir";
import { createSconce, loadValues, type Value } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const root = new URL("../../testing/fixtures/producer-versions/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), "utf8");

/** A result of a model, as PyTorch computed it. */
interface Expected {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}
const RESULTS = JSON.parse(read("results.json")) as Readonly<Record<string, readonly Expected[]>>;
/** What PyTorch 2.14 itself makes of each file: `same`, or its error. */
const LOADS = JSON.parse(read("loads.json")) as Readonly<Record<string, string>>;
const FILES = Object.keys(LOADS);
const sconce = createSconce();
const WRITERS = ["2.14", "2.6"];
const NAMES = ["branch", "calls", "convolution", "mlp", "shapes", "state", "trees"];

/**
 * The text of the program in a file, as PyTorch 2.14 prints it, where it loads the file as it was
 * meant. It takes the kinds of arguments in files of 2.7 for others, so those have the text of the
 * same program in another file.
 */
function textOf(id: string): string | undefined {
  const [folder, program] = id.split("/") as [string, string];
  if (folder === "2.14") return read(`${id}.txt`);
  if (folder === "made-2.7")
    return read(program === "calls" ? "made-2.8/calls.2.14.txt" : `2.14/${program}.txt`);
  // Files of 2.5 do not say how arguments were passed: those with a default are keywords.
  if (id === "made-2.5/branch")
    return read("2.14/branch.txt").replace(", p_linear_bias)", ", bias = p_linear_bias)");
  if (LOADS[id] !== "same") return undefined;
  return existsSync(new URL(`${id}.2.14.txt`, root)) ? read(`${id}.2.14.txt`) : read(`2.14/${program}.txt`);
}

/**
 * The code without comments and blank lines, which each version writes another way, as the
 * signature.
 */
const codeLines = (text: string): string[] =>
  text
    .slice(0, text.indexOf("Graph signature:"))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

async function expectResults(program: ExportedProgram, id: string): Promise<void> {
  const executable = await sconce.compile(program);
  const got = (await executable.run(program.exampleInputs!.leaves as Value[])) as Tensor[];
  const want = RESULTS[id.replace(/^made-[\d.]+/, "2.14")]!;
  expect(got.map(({ dtype, shape }) => ({ dtype, shape }))).toEqual(
    want.map(({ dtype, shape }) => ({ dtype, shape })),
  );
  for (const [i, tensor] of got.entries())
    for (const [k, value] of tensor.toFloat64Array().entries())
      expect(value).toBeCloseTo(want[i]!.values[k]!, 5);
}

test("the files are those of two versions of PyTorch, and eight that are made", () => {
  const folders = readdirSync(root).filter((name) => !name.endsWith(".json"));
  const made = ["2.10", "2.11", "2.12", "2.13", "2.5", "2.7", "2.8", "2.9"].map(
    (version) => `made-${version}`,
  );
  expect(folders.sort()).toEqual([...WRITERS, ...made]);
  expect(FILES.sort()).toEqual(folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`)).sort());
  for (const version of WRITERS)
    for (const name of NAMES) expect(RESULTS[`${version}/${name}`]!.length).toBeGreaterThan(0);
});

const bytesOf = (id: string): Uint8Array<ArrayBuffer> =>
  gunzipSync(readFileSync(new URL(`${id}.pt2.gz`, root)));

describe.each(FILES)("the file %s", (id) => {
  const bytes = bytesOf(id);

  test("is read, printed and run [S-126]", async () => {
    const warnings: string[] = [];
    const extraFiles = new Map<string, Uint8Array>();
    const onWarning = (message: string): void => void warnings.push(message);
    const program = await sconce.load(bytes, { extraFiles, onWarning });
    expect(warnings).toEqual([]);
    expect(sconce.verify(program)).toEqual([]);
    const version = id.slice(0, id.indexOf("/")).replace("made-", "");
    expect(program.torchVersion).toMatch(new RegExp(`^${version.replace(".", "\\.")}\\.`));
    expect(new TextDecoder().decode(extraFiles.get("note.txt"))).toMatch(new RegExp(`${version}\\b`));
    const text = programText(program);
    const want = textOf(id);
    if (want !== undefined) expect(text).toBe(want);
    const own = `${id}.txt`;
    if (existsSync(new URL(own, root))) expect(codeLines(text)).toEqual(codeLines(read(own)));
    else expect(want).toBeDefined();
    await expectResults(program, id);
  });
});

/** Another program of each version. */
const ONE_EACH = FILES.filter((_, at) => at % NAMES.length === Math.floor(at / NAMES.length) % NAMES.length);

describe.each(ONE_EACH)("the file %s", (id) => {
  const bytes = bytesOf(id);

  test("is read the same with weights that come later, and saved as 2.14 writes it", async () => {
    const eager = await sconce.load(bytes);
    const program = await sconce.load(new Blob([bytes]), { weights: "lazy" });
    expect(programText(program)).toBe(programText(eager));
    const streamed = await sconce.save(program);
    expect([...program.stateDict.values()].every(({ isLoaded, numel }) => isLoaded === (numel === 0))).toBe(
      true,
    );
    expect(Buffer.compare(streamed, await sconce.save(eager))).toBe(0);
    await loadValues(program);
    await expectResults(program, id);
    await expectResults(await sconce.load(streamed), id);
  });
});
