/**
 * @file Every recorded program, specialized to the sizes that it was called with: no symbol is
 * left, same numbers.
 */
import { readdirSync } from "node:fs";
import { type ExportedProgram, FakeTensor, type MetaValue } from "@sconce/ir";
import { propagateShapes } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { freeSymbols, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { ProgramFolder } from "./conformance/program-case.js";
import { PROGRAMS } from "./fixtures.js";

const sconce = createSconce({ plugins: [corpusPlugin] });

function symbolsOf(val: MetaValue | undefined | SymExpr | number | boolean): string[] {
  if (val instanceof SymExpr) return [...freeSymbols(val).keys()].filter((name) => /^s\d/.test(name));
  if (val instanceof FakeTensor) return [...val.shape, ...val.strides].flatMap(symbolsOf);
  if (Array.isArray(val)) return (val as readonly MetaValue[]).flatMap(symbolsOf);
  return typeof val === "object" && val !== null && "expr" in val ? symbolsOf(val.expr as SymExpr) : [];
}

async function problemOf(name: string): Promise<string | undefined> {
  const folder = new ProgramFolder(`${PROGRAMS}${name}`);
  const { call, status, program: recorded, tolerance, compare_values: values } = folder.info;
  if (status !== "exported" || call?.outputs === undefined || recorded.load_error !== undefined)
    return undefined;
  if (!folder.has("program.pt2")) return undefined;
  const program = await sconce.load(folder.bytes("program.pt2"));
  const inputs = folder.inputs(call);
  const shapes: Record<string, readonly number[]> = {};
  program.graphSignature.inputSpecs
    .filter(({ kind }) => kind === "USER_INPUT")
    .forEach(({ arg }, i) => {
      const input = inputs[i];
      if (input instanceof Tensor) shapes[arg.name] = input.shape;
    });
  const special: ExportedProgram = propagateShapes(program, sconce.operators, { inputs: shapes });
  if (special === program) return undefined;
  // Sizes that are separate inputs stay symbols.
  const own = new Set(
    program.graph
      .placeholders()
      .flatMap(({ meta }) => (meta.val instanceof FakeTensor ? [] : symbolsOf(meta.val))),
  );
  const left = special.graph
    .nodes()
    .flatMap(({ meta }) => symbolsOf(meta.val))
    .filter((symbol) => !own.has(symbol));
  if (left.length > 0) return `symbols left: ${left.join(", ")}`;
  const outputs = await (await sconce.compile(special)).run(inputs);
  return folder
    .outputs(call)
    .values.map((want, i) =>
      want instanceof Tensor
        ? compareTensors(outputs[i] as Tensor, want, { ...tolerance, values: values !== false })
        : undefined,
    )
    .find((problem) => problem !== undefined);
}

test("every recorded program specializes to its sizes", async () => {
  const names = readdirSync(PROGRAMS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const problems: string[] = [];
  for (const { name } of names) {
    const problem = await problemOf(name);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  expect(problems).toEqual([]);
});
