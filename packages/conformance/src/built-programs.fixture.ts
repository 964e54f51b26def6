/** @file A program of PyTorch as a module, run on all of its inputs. */
import { existsSync, readFileSync } from "node:fs";
import { cpuBackend } from "@sconce/backend-cpu";
import { wasmBackend } from "@sconce/backend-wasm";
import { type BuildOptions, buildModule } from "@sconce/build";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram, Value } from "@sconce/ir";
import { userLeaves } from "@sconce/ops";
import { readSafetensors, Storage, Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { expect } from "vitest";
import { argumentsOf, bitsOf, leavesOf, type ModuleTensor, withModule } from "./built-modules.fixture.js";
import type { ProgramCase } from "./conformance/program-case.js";
import { PROGRAMS } from "./fixtures.js";

/** What became of a program. */
export interface BuiltProgram {
  /** Why it was not built; undefined for one that was. */
  readonly refused: string | undefined;
  /** Runs whose results differ. */
  readonly differences: readonly string[];
  /** Runs that were compared. */
  readonly runs: number;
}

/** Builds a program of PyTorch and compares each run with the backend `wasm`, errors included. */
export async function checkBuilt(name: string, options: BuildOptions = {}): Promise<BuiltProgram> {
  const program = await openPt2File(`${PROGRAMS}${name}/program.pt2`);
  return compareBuilt(program, inputsOf(name, program), { ...options, name });
}

/** Builds a program and compares each run with the backend `wasm`, errors included. */
export async function compareBuilt(
  program: ExportedProgram,
  all: readonly (readonly Value[])[],
  options: BuildOptions = {},
): Promise<BuiltProgram> {
  const executable = await wasmBackend({ threads: 1, relaxed: false }).compile(program);
  try {
    return await withModule(program, options, async ({ load }) => {
      const module = await load();
      const differences: string[] = [];
      for (const inputs of all) {
        const given = argumentsOf(program, inputs);
        const want = await textOf(async () => executable.run(inputs));
        const got = await textOf(async () => leavesOf(await module.run(given)));
        if (got !== want) differences.push(`${want.slice(0, 200)}\n${got.slice(0, 200)}`);
      }
      module.dispose();
      return { refused: undefined, differences, runs: all.length };
    });
  } catch (error) {
    if (!isSconceError(error, "BUILD_UNSUPPORTED")) throw error;
    return { refused: error.message, differences: [], runs: 0 };
  } finally {
    executable.dispose();
  }
}

/** How close results have to be, and whether they are compared at all. */
type Rule = Pick<ProgramCase, "tolerance" | "compare_values">;
/** What became of a program with kernels in JavaScript. */
type BuiltScript = Omit<BuiltProgram, "isDevice">;

/**
 * Builds a program of PyTorch with kernels in JavaScript and compares each run with the
 * interpreter, within the tolerance of the program.
 */
export async function checkScript(name: string): Promise<BuiltScript> {
  const program = await openPt2File(`${PROGRAMS}${name}/program.pt2`);
  const rule = JSON.parse(readFileSync(`${PROGRAMS}${name}/case.json`, "utf8")) as ProgramCase;
  return compareScript(program, inputsOf(name, program), rule);
}

/** Builds a program with kernels in JavaScript and compares each run with the interpreter. */
export async function compareScript(
  program: ExportedProgram,
  all: readonly (readonly Value[])[],
  rule: Rule,
): Promise<BuiltScript> {
  const executable = await cpuBackend().compile(program);
  try {
    return await withModule(program, { targets: ["js"] }, async ({ load }, { files }) => {
      expect([...files.keys()]).not.toContain("model.wasm");
      const module = await load();
      expect(module.target).toBe("js");
      const differences: string[] = [];
      for (const inputs of all) {
        const given = argumentsOf(program, inputs);
        const want = await resultsOf(async () => executable.run(inputs));
        const got = await resultsOf(async () => leavesOf(await module.run(given)));
        const difference = differenceOf(got, want, rule);
        if (difference !== undefined) differences.push(difference);
      }
      module.dispose();
      return { refused: undefined, differences, runs: all.length };
    });
  } catch (error) {
    if (!isSconceError(error, "BUILD_UNSUPPORTED")) throw error;
    // What kernels of WebAssembly compute, those of JavaScript do.
    await expect(buildModule(program)).rejects.toMatchObject({ code: "BUILD_UNSUPPORTED" });
    return { refused: error.message, differences: [], runs: 0 };
  } finally {
    executable.dispose();
  }
}

/** Returns results, or the text of the error. */
async function resultsOf(run: () => Promise<readonly unknown[]>): Promise<readonly unknown[] | string> {
  try {
    return await run();
  } catch (error) {
    return `throws ${(error as Error).message.split("\n")[0]!}`;
  }
}

function differenceOf(
  got: readonly unknown[] | string,
  want: readonly unknown[] | string,
  { tolerance, compare_values: values }: Rule,
): string | undefined {
  if (typeof got === "string" || typeof want === "string")
    return got === want ? undefined : `${String(got).slice(0, 200)}\n${String(want).slice(0, 200)}`;
  if (got.length !== want.length) return `${got.length} results, wanted ${want.length}`;
  for (const [at, one] of got.entries()) {
    const other = want[at];
    const difference =
      other instanceof Tensor
        ? compareTensors(tensorOf(one as ModuleTensor), other, { ...tolerance, values: values !== false })
        : bitsOf(one) === bitsOf(other)
          ? undefined
          : `${bitsOf(one)}, wanted ${bitsOf(other)}`;
    if (difference !== undefined) return `result ${at}: ${difference}`;
  }
  return undefined;
}
const tensorOf = ({ dtype, shape, data }: ModuleTensor): Tensor =>
  new Tensor({
    dtype: dtype as Tensor["dtype"],
    shape,
    storage: new Storage(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  });

/** Returns results, or the first line of the error. */
async function textOf(run: () => Promise<readonly unknown[]>): Promise<string> {
  try {
    return (await run()).map(bitsOf).join("\n");
  } catch (error) {
    return `throws ${(error as Error).message.split("\n")[0]!}`;
  }
}

/** Returns the inputs of a program's folder, flattened; scalars are those of the example. */
function inputsOf(name: string, program: ExportedProgram): readonly (readonly Value[])[] {
  const examples = (program.exampleInputs?.leaves ?? []) as readonly Value[];
  return ["", ".1", ".2", ".3"].flatMap((number): (readonly Value[])[] => {
    const path = `${PROGRAMS}${name}/inputs${number}.safetensors`;
    if (!existsSync(path)) return number === "" ? [examples] : [];
    const { tensors } = readSafetensors(readFileSync(path));
    return [
      userLeaves(program).map(({ spec }, at) =>
        spec.arg.kind === "tensor" ? tensors.get(`i${at}`)! : (examples[at] ?? null),
      ),
    ];
  });
}
