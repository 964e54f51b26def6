/**
 * @file Inputs that lie in memory in another way than the example of an export, whose strides the
 * program records: views of such inputs are results on every backend, with PyTorch's strides.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});

/** How the elements of `[4, 3]` lie: dense, transposed, parts of a larger tensor, expanded. */
const LAYOUTS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  dense: [3, 1],
  transposed: [1, 4],
  parts: [12, 2],
  rows: [1, 0],
  columns: [0, 1],
  one: [0, 0],
};
/** The same, and strides of a size that no input shows, as those of `x[:, ::2]` are. */
const RECORDED = {
  ...Object.fromEntries(Object.entries(LAYOUTS).map(([name, strides]) => [name, strides.join(", ")])),
  unknown: "2*s7, 2",
};

const VIEWS = [
  "t.default(%x)",
  "slice.Tensor(%x, 0, 1, 9223372036854775807)",
  "select.int(%x, 1, 1)",
  "unsqueeze.default(%x, 0)",
  "transpose.int(%x, 0, 1)",
  "permute.default(%x, [1, 0])",
  "expand.default(%y, [2, 4, 3])",
  "diagonal.default(%x)",
  "alias.default(%y)",
  "unfold.default(%x, 0, 2, 1)",
  "clone.default(%x)",
  "mul.Tensor(%x, 2)",
  "sum.dim_IntList(%x, [0])",
  "flip.default(%x, [0])",
];

/** A program that reads `%x` and writes to `%y`, with the recorded strides of both. */
const programOf = (recorded: string, writes: string): string => `sconce-ir 1
program "TRAINING" {
  range "s7" [2, 100]
  hint "s7" 6
  input %x: USER_INPUT
  input %y: USER_INPUT
  ${VIEWS.map((_, i) => `output %r${i}: USER_OUTPUT`).join(" ")}
}
graph(%x: f32[4, 3]{${recorded}}, %y: f32[4, 3]) {
  ${writes}
  ${VIEWS.map((view, i) => `%r${i} = aten.${view}`).join("\n  ")}
  return (${VIEWS.map((_, i) => `%r${i}`).join(", ")})
}`;

describe.each(Object.entries(RECORDED))("an example that is %s", (_, recorded) => {
  test.each(["", "%w = aten.add_.Tensor(%y, %x)"])(
    "gives the values of each run, with '%s'",
    async (writes) => {
      const program = session.parseIr(programOf(recorded, writes));
      const runs = ["cpu", "wasm", "gpujs:cpu"].map(async (backend) => {
        using executable = await session.compile(program, backend);
        const results: unknown[] = [];
        for (const [layout, [row, column]] of Object.entries(LAYOUTS)) {
          const values = Array.from(
            { length: 12 },
            (_, i) => (row && Math.floor(i / 3)) * 3 + (column && (i % 3) + 1),
          );
          const x = Tensor.from(values, [4, 3], "float32").withLayout([row, column], 0);
          const y = Tensor.from([...values, 9].slice(1), [4, 3], "float32");
          for (const result of [...(await executable.run([x, y])), y]) {
            const { shape, strides } = result as Tensor;
            const own = strides.filter((_, d) => shape[d]! > 1);
            results.push({ layout, values: (result as Tensor).toArray(), strides: own });
          }
        }
        return results;
      });
      const [right, ...others] = await Promise.all(runs);
      for (const other of others) expect(other).toEqual(right);
    },
  );
});
