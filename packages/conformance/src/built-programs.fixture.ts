/** @file A program of PyTorch as a module, run on all of its inputs. */
import { existsSync, readFileSync } from "node:fs";
import { wasmBackend } from "@sconce/backend-wasm";
import type { BuildOptions } from "@sconce/build";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram, Value } from "@sconce/ir";
import { userLeaves } from "@sconce/ops";
import { readSafetensors } from "@sconce/tensor";
import { argumentsOf, bitsOf, leavesOf, withModule } from "./built-modules.fixture.js";
import { PROGRAMS } from "./fixtures.js";

/** What became of a program. */
export interface BuiltProgram {
  /** Why it was not built; undefined for one that was. */
  readonly refused: string | undefined;
  /** Whether kernels compute all calls. */
  readonly isDevice: boolean;
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
  const isDevice = executable.placement!().nodes.every(({ place }) => place === "device");
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
      return { refused: undefined, isDevice, differences, runs: all.length };
    });
  } catch (error) {
    if (!isSconceError(error, "BUILD_UNSUPPORTED")) throw error;
    return { refused: error.message, isDevice, differences: [], runs: 0 };
  } finally {
    executable.dispose();
  }
}

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
