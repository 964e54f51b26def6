/**
 * @file The built-in passes on every program that PyTorch exported: valid results, PyTorch's
 * numbers.
 */
import { readdirSync } from "node:fs";
import type { Backend, ExportedProgram, Node } from "@sconce/ir";
import {
  extractSubmodule,
  functionalized,
  inlineSubmodule,
  isFunctional,
  partition,
  splitBy,
} from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { ProgramFolder } from "./conformance/program-case.js";
import { type Check, checkTransforms, type Transform } from "./conformance/programs.js";
import { PROGRAMS } from "./fixtures.js";

/** Takes about half of all operators. */
const half: Backend = {
  name: "half",
  supports: ({ target }) =>
    [...target].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 2 === 0 || { reason: "odd" },
  compile: () => Promise.reject(new Error("not needed")),
};

const sconce = createSconce({ plugins: [corpusPlugin] });
const { operators } = sconce;
const pipeline = (text: string): Transform => ({
  name: text,
  from: "lowered",
  run: (program) => sconce.transform(program, text, { verify: true }),
});

/** Returns the first half of a program, but for what has to keep its place. */
function firstHalfOf(program: ExportedProgram): (node: Node) => boolean {
  const { graph } = program;
  const free = (node: Node): boolean =>
    !/rand|dropout|assert|constrain|bernoulli|normal|effects|higher/.test(node.target);
  return (node) => free(node) && graph.indexOf(node.name) < graph.size / 2;
}

function extracted(program: ExportedProgram): ExportedProgram {
  try {
    return extractSubmodule(program, firstHalfOf(program), operators).program;
  } catch (error) {
    if ((error as { code?: string }).code === "NOT_CONVEX") return program;
    throw error;
  }
}

const TRANSFORMS: readonly Transform[] = [
  {
    name: "functionalize",
    from: "program",
    run: (program) => {
      const result = functionalized(program, operators);
      expect(isFunctional(result, operators)).toBe(true);
      return result;
    },
  },
  pipeline("check-functional"),
  pipeline("canonicalize"),
  pipeline("repeat(canonicalize,fold-constants{weights=true},cse,dce)"),
  pipeline("strip-metadata{module-stack=true,custom=true}"),
  pipeline("propagate-shapes"),
  pipeline("remove-type-promotion"),
  pipeline("sink-transposes"),
  pipeline("fuse-regions"),
  pipeline("fuse-regions,inline-submodule"),
  pipeline("fuse-regions{outline=false,pointwise=false}"),
  { ...pipeline("fold-batch-norm"), tolerance: { rtol: 1e-4, atol: 1e-5 } },
  { ...pipeline("convert-dtype"), tolerance: { rtol: 0.1, atol: 0.1 } },
  { name: "partition", from: "lowered", run: (program) => partition(program, half, operators).program },
  {
    name: "partition, inline",
    from: "lowered",
    run: (program) => inlineSubmodule(partition(program, half, operators).program),
  },
  { name: "extract", from: "lowered", run: extracted },
  {
    name: "split",
    from: "lowered",
    run: (program) =>
      splitBy(program, ({ name }) => program.graph.indexOf(name) % 3 === 0, operators).program,
  },
];

/**
 * A batch norm over nearly equal values, and a quantized step at its edge: rounding shows there.
 */
const ROUNDS_FAR: ReadonlySet<string> = new Set(["api_conv_batchnorm", "net_quantized_decomposed"]);

const names = readdirSync(PROGRAMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/**
 * Checks programs.
 *
 * @param every - Takes each program with this distance.
 */
export function passesOnProgramsSpec(every: number): void {
  const chosen = names.filter((_, at) => at % every === 0);

  test("what PyTorch functionalized is functional", async () => {
    const answers: string[] = [];
    for (const name of chosen) {
      const folder = new ProgramFolder(`${PROGRAMS}${name}`);
      if (!folder.has("decomposed.pt2")) continue;
      const program = await sconce.load(folder.bytes("decomposed.pt2"));
      answers.push(`${name} ${isFunctional(program, operators)}`);
    }
    expect(answers.filter((answer) => answer.endsWith("false"))).toEqual([]);
    expect(answers.length).toBeGreaterThan(50 / every);
  });

  test.each(chosen)("%s", async (name) => {
    const checks = await checkTransforms(`${PROGRAMS}${name}`, sconce, TRANSFORMS);
    const rounds = (check: Check): boolean => check.name.startsWith("convert-dtype") && ROUNDS_FAR.has(name);
    expect(checks.filter((check) => check.problem !== undefined && !rounds(check))).toEqual([]);
  });
}
