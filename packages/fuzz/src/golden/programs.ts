/** @file The programs that golden files hold, the same in every release. */
import { readFileSync } from "node:fs";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";

const FOLDER = new URL("../../../testing/fixtures/programs/", import.meta.url);

/** Weights and modules; branches on a symbolic size; constants that share a storage. */
const NAMES = ["strict_linear", "flow_cond_dynamic", "lifted_shared_storage"];

/** The program that JSON IR can hold. */
export const STATIC = "strict_linear";

/** The session that reads and runs them. */
export const session = createSconce();

/** Programs of PyTorch by name. */
export const goldenPrograms = async (): Promise<ReadonlyMap<string, ExportedProgram>> =>
  new Map(
    await Promise.all(
      NAMES.map(async (name) => {
        const bytes = readFileSync(new URL(`${name}/program.pt2`, FOLDER));
        return [name, await session.load(new Uint8Array(bytes))] as const;
      }),
    ),
  );

/** Tensors by their positions. */
export const numbered = (tensors: readonly Tensor[]): readonly (readonly [string, Tensor])[] =>
  tensors.map((tensor, i) => [`output.${i}`, tensor] as const);

/** Returns the outputs for the sample inputs. */
export async function outputsOf(program: ExportedProgram): Promise<readonly (readonly [string, Tensor])[]> {
  const executable = await session.compile(program, "cpu");
  try {
    return numbered(
      (await executable.run(program.exampleInputs!.leaves as readonly Tensor[])) as readonly Tensor[],
    );
  } finally {
    executable.dispose();
  }
}
