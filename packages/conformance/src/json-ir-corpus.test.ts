/** @file JSON IR of all programs: dynamic sizes, scalars, writes and nested graphs included. */
import { readdirSync, readFileSync } from "node:fs";
import {
  createSconce,
  type ExportedProgram,
  extractIR,
  type JsonIR,
  jsonIRText,
  missingValues,
  programFromIR,
  readJsonIR,
  type Value,
} from "@sconce/session";
import { Storage, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";
import { linesOf } from "./capabilities/json-ir-lines.fixture.js";
import { corpusPlugin } from "./conformance/corpus-plugin.js";

const folder = new URL("../../testing/fixtures/programs/", import.meta.url);
const sconce = createSconce({ plugins: [corpusPlugin] });
const quiet = { onWarning: () => {} };
const FILES = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /(?:program|decomposed)\.pt2$/.test(file))
  .sort();
/** Draws of random numbers differ from run to run. */
const RANDOM = /rand|dropout|bernoulli|normal|multinomial|uniform|exponential|geometric|poisson/;

const irOf = (program: ExportedProgram): JsonIR => extractIR(program, { session: sconce, ...quiet });

/** Programs may write to their inputs. */
const copyOf = ({ dtype, shape, strides, storageOffset, storage }: Tensor): Tensor =>
  new Tensor({ dtype, shape, strides, storageOffset, storage: new Storage(storage.bytes.slice()) });

async function outputsOf(program: ExportedProgram, inputs: readonly Value[]): Promise<unknown[]> {
  using executable = await sconce.compile(program, "cpu");
  const given = inputs.map((value) => (value instanceof Tensor ? copyOf(value) : value));
  const outputs = await executable.run(given);
  const written = given.flatMap((value) => (value instanceof Tensor ? [value] : []));
  return [...outputs, ...written].map((value) =>
    value instanceof Tensor ? [value.dtype, value.shape, value.toArray()] : value,
  );
}

/** The range of a symbol that a program has no range for. */
const UNBOUNDED = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

/** Files with nested graphs, and those with sizes that the data decide, always run. */
const CASES = new Set([
  ...sampled(FILES, 7),
  ...FILES.filter((file) => /^flow_|^unbacked_|nonzero/.test(file)),
]);

test.each([...CASES])("%s", async (file) => {
  const program = await sconce.load(readFileSync(new URL(file, folder)), quiet);
  const text = jsonIRText(irOf(program));
  const read = programFromIR(readJsonIR(text), sconce);
  expect(sconce.verify(read)).toEqual([]);
  expect(jsonIRText(readJsonIR(text))).toBe(text);
  expect(jsonIRText(irOf(read))).toBe(text);
  for (const [name, range] of read.rangeConstraints)
    expect([name, range]).toEqual([name, program.rangeConstraints.get(name) ?? UNBOUNDED]);
  expect(linesOf(read.graph)).toEqual(linesOf(program.graph));
  expect(await programFromIR(irOf(read), sconce).hash()).toEqual(await read.hash());
  const leaves = program.exampleInputs?.leaves;
  if (leaves === undefined || missingValues(program).length > 0) return;
  if ([...program.opHistogram().keys()].some((name) => RANDOM.test(name))) return;
  const constants = new Set(
    program.graphSignature.inputSpecs.flatMap(({ kind, arg }, i) =>
      kind === "USER_INPUT" && arg.kind === "constant" ? [i] : [],
    ),
  );
  const first = program.graphSignature.inputSpecs.findIndex(({ kind }) => kind === "USER_INPUT");
  const inputs = leaves.filter((_, i) => !constants.has(first + i)) as Value[];
  const state = [...program.stateDict, ...program.constants].filter(
    ([name]) => read.tensor(name) !== undefined,
  );
  const got = await outputsOf(read.withState(new Map(state)), inputs);
  // Outputs that are constants are left out.
  const returned = program.graphSignature.outputSpecs.filter(({ kind }) => kind === "USER_OUTPUT");
  const want = (await outputsOf(program, leaves as Value[])).filter(
    (_, i) => i >= returned.length || returned[i]!.arg.kind !== "constant",
  );
  expect(got).toEqual(want);
});
