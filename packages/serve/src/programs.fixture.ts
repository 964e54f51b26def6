/** @file Programs of the tests: recorded ones, and small ones in IR text. */
import { readFile } from "node:fs/promises";
import { readPt2 } from "@sconce/formats";
import type { ExportedProgram, Value } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { copiedBytes, Tensor } from "@sconce/tensor";

/** The session of the tests. */
export const session = createSconce();

const PROGRAMS = new URL("../../testing/fixtures/programs/", import.meta.url);

/** Reads a recorded program. */
export const recorded = async (name: string): Promise<ExportedProgram> =>
  readPt2(await readFile(new URL(`${name}/program.pt2`, PROGRAMS)), { operators: session.operators });

/** What a program in IR text is made of. */
interface Small {
  /** `x: f32[s0, 4], y: f32[s0, 4]`. */
  readonly takes: string;
  /** The calls, and the types of their results. */
  readonly calls: string;
  /** Names of the results. */
  readonly gives: string;
  /** Shapes of parameters, by name: `w: f32[4, 3]`. */
  readonly state?: Readonly<Record<string, readonly number[]>>;
  /** Whether it returns a dictionary of the results by name. */
  readonly isDictionary?: boolean;
  /** Lines of the head: ranges, guards. */
  readonly head?: string;
}

/** Returns a program of IR text. Parameters count up from -1. */
export function small({
  takes,
  calls,
  gives,
  state = {},
  isDictionary = false,
  head = 'range "s0" [0, inf]\n  hint "s0" 3',
}: Small): ExportedProgram {
  const names = [...takes.matchAll(/(\w+): /g)].map(([, name]) => name!);
  const results = gives.split(", ");
  const parameters = Object.entries(state);
  const typeOf = (shape: readonly number[]): string => `f32[${shape.join(", ")}]`;
  const stars = results.map(() => "*").join(", ");
  const fields = results.map((name) => `"${name}": *`).join(", ");
  const returned = isDictionary ? `{${fields}}` : results.length === 1 ? "*" : `(${stars})`;
  const text = `program "ATEN" {
  ${head}
${parameters.map(([name, shape]) => `  parameter "${name}": ${typeOf(shape)}\n`).join("")}
${parameters.map(([name]) => `  input %p_${name}: PARAMETER "${name}"\n`).join("")}
${names.map((name) => `  input %${name}: USER_INPUT\n`).join("")}
${results.map((name) => `  output %${name}: USER_OUTPUT\n`).join("")}
  call "" ((${names.map(() => "*").join(", ")}), {}) -> ${returned} names [${names.map((name) => `"${name}"`).join(", ")}]
}
graph(${[...parameters.map(([name, shape]) => `%p_${name}: ${typeOf(shape)}`), takes.replace(/(\w+): /g, "%$1: ")].join(", ")}) {
${calls.trim().replace(/^ */gm, "  ")}
  return (${results.map((name) => `%${name}`).join(", ")})
}
`;
  const tensors = new Map(
    parameters.map(([name, shape]) => {
      const count = shape.reduce((product, size) => product * size, 1);
      return [
        name,
        Tensor.from(
          Array.from({ length: count }, (_, i) => (i % 7) / 4 - 1),
          [...shape],
          "float32",
        ),
      ];
    }),
  );
  return session.parseIr(text, { tensors });
}

/** Returns whether two values have the same dtypes, shapes and bytes. */
export const sameBits = (a: Value, b: Value): boolean =>
  a instanceof Tensor && b instanceof Tensor
    ? a.dtype === b.dtype &&
      a.shape.join() === b.shape.join() &&
      Buffer.compare(copiedBytes(a), copiedBytes(b)) === 0
    : Object.is(a, b);
