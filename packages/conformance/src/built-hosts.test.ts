/** @file Built modules with steps that are not kernels: assertions, data-dependent sizes, loops. */

import { wasmBackend } from "@sconce/backend-wasm";
import { buildModule } from "@sconce/build";
import {
  associativeScan,
  cond,
  Dim,
  exportProgram,
  map,
  nn,
  scan,
  sym,
  torch,
  tuple,
  whileLoop,
} from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram, Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { argumentsOf, bitsOf, leavesOf, moduleTensor, withModule } from "./built-modules.fixture.js";
import { checkBuilt } from "./built-programs.fixture.js";
import { PROGRAMS } from "./fixtures.js";

const open = (name: string): Promise<ExportedProgram> => openPt2File(`${PROGRAMS}${name}/program.pt2`);
const floats = (values: readonly unknown[]): Tensor => Tensor.from(values as number[], { dtype: "float32" });
const ints = (values: unknown): Tensor => Tensor.from(values as number[], { dtype: "int64" });

/** Returns a program of two inputs and one result. */
const programOf = (inputs: string, calls: string, ranges = ""): ExportedProgram =>
  parseIr(`program "ATEN" {
${ranges}  input %x: USER_INPUT
  input %n: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*, *), {}) -> * names ["x", "n"]
}
graph(${inputs}) {
${calls}
  return (%y,)
}
`);

/** Runs a program as a module and on the backend: results, or errors, one text for each run. */
async function both(
  program: ExportedProgram,
  runs: readonly (readonly Value[])[],
): Promise<{ readonly got: readonly string[]; readonly want: readonly string[]; readonly bytes: number }> {
  const executable = await wasmBackend({ threads: 1, relaxed: false }).compile(program);
  const textOf = async (run: () => Promise<readonly unknown[]>): Promise<string> => {
    try {
      return (await run()).map(bitsOf).join("\n");
    } catch (error) {
      return `${(error as { code: string }).code} ${(error as Error).message.split("\n")[0]}`;
    }
  };
  return withModule(program, {}, async ({ load }, { report }) => {
    const model = await load();
    const [got, want]: [string[], string[]] = [[], []];
    for (const inputs of runs) {
      want.push(await textOf(() => executable.run(inputs)));
      got.push(await textOf(async () => leavesOf(await model.run(argumentsOf(program, inputs)))));
    }
    return { got, want, bytes: report.interpreterBytes };
  });
}

describe("steps of the host in built modules", () => {
  test("assertions fail with the program's words, and need no kernels of the interpreter", async () => {
    const program = await open("old_constrain_as_value");
    const x = floats([1, 2, 3, 4, 5, 6]);
    const { got, want, bytes } = await both(
      program,
      [4, 6, 99, -1, 4].map((value) => [x, ints(value)]),
    );
    expect(got).toEqual(want);
    expect(got.filter((text) => text.startsWith("ASSERTION_FAILED")).length).toBeGreaterThan(0);
    expect(bytes).toBe(0);
  });

  test("random numbers go on from call to call, and begin anew after reset()", async () => {
    const program = await open("net_mlp_train");
    const [x] = program.exampleInputs!.leaves as readonly Tensor[];
    const { got, want } = await both(program, [[x!], [x!], [x!]]);
    expect(got).toEqual(want);
    expect(new Set(got).size).toBe(3);
    await withModule(program, {}, async ({ load }) => {
      const model = await load();
      for (let i = 0; i < 2; i++) {
        expect(
          leavesOf(await model.run(argumentsOf(program, [x!])))
            .map(bitsOf)
            .join("\n"),
        ).toBe(got[0]);
        model.reset();
      }
    });
  });

  test("models share no random numbers", async () => {
    const program = await open("net_mlp_train");
    const inputs = argumentsOf(program, program.exampleInputs!.leaves as readonly Value[]);
    await withModule(program, {}, async ({ load }) => {
      const [first, second] = [await load(), await load()];
      const bits = async (model: typeof first): Promise<string> =>
        leavesOf(await model.run(inputs))
          .map(bitsOf)
          .join("\n");
      const [one, two] = [await bits(first), await bits(first)];
      expect(two).not.toBe(one);
      expect(await bits(second)).toBe(one);
      first.reset();
      expect(await bits(second)).toBe(two);
    });
  });

  test("a complex condition holds where one of its parts is not zero", async () => {
    const program = programOf(
      "%x: c64[1], %n: i64[]",
      `  %item: int(u0) = aten._local_scalar_dense.default(%n)
  %check = aten._assert_async.msg(%x, "zero")
  %y: c64[1] = aten.mul.Tensor(%x, %item)`,
    );
    const complex = (re: number, im: number): Tensor =>
      Tensor.fromData(new Float32Array([re, im]), "complex64", [1]);
    const { got, want } = await both(
      program,
      [complex(1, 0), complex(0, 1), complex(0, 0)].map((one) => [one, ints(2)]),
    );
    expect(got).toEqual(want);
    expect(got[2]).toMatch(/^ASSERTION_FAILED /);
  });

  test("numbers are checked as the program checks them", async () => {
    const program = programOf(
      "%x: f32[2], %n: float(zf0)",
      `  %sum: float(zf0 + 1.5) = operator.add(%n, 1.5)
  %y: f32[2] = aten.mul.Tensor(%x, %sum)`,
    );
    const x = moduleTensor(floats([1, 2]));
    await withModule(program, {}, async ({ load }) => {
      const model = await load();
      for (const n of ["2", null, undefined, {}])
        await expect(model.run({ x, n })).rejects.toMatchObject({
          code: "INPUT_TYPE",
          message: expect.stringContaining("to be a number"),
        });
      const [y] = leavesOf(await model.run({ x, n: 2.5 }));
      expect(bitsOf(y)).toBe(bitsOf(floats([4, 8])));
    });
  });

  test("conditions hold for programs whose sizes kernels do not need", async () => {
    const program = parseIr(`program "ATEN" {
  range "s0" [2, 9]
  range "s1" [2, 9]
  hint "s0" 3
  hint "s1" 3
  input %x: USER_INPUT
  input %n: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*, *), {}) -> * names ["x", "n"]
}
graph(%x: f32[s0], %n: f32[s1]) {
  %y: f32[s0] = aten.igamma.default(%x, %n)
  return (%y,)
}
`);
    const { got, want } = await both(program, [[floats([1, 2, 3]), floats([1, 2])]]);
    expect(want[0]).toMatch(/^[A-Z_]+ /);
    expect(got[0]).toMatch(/^MODULE_SIZES /);
  });

  test("sizes that the data decide reach kernels, views and results, also 0", async () => {
    const program = await open("pm_unbacked_sizes");
    const { got, want } = await both(
      program,
      [
        [1, 0, 2, 0],
        [0, 0, 0, 0],
        [1, 1, 1, 1],
        [-1, -2, 0, 3],
      ].map((values) => [floats(values)]),
    );
    expect(new Set(got).size).toBe(4);
    expect(got).toEqual(want);
  });

  test("kernels of the interpreter are those that are called", async () => {
    const { files, report } = await buildModule(await open("ops_elementwise"), {});
    const targets = report.hostCalls.map(({ target }) => target);
    expect(targets).toContain("aten.erfinv.default");
    expect(report.interpreterBytes).toBeGreaterThan(10_000);
    expect(report.interpreterBytes).toBeLessThan(110_000);
    const again = await buildModule(await open("ops_elementwise"), {});
    expect(again.files).toEqual(files);
  });

  test("a module in one file with packed weights has the bits of the backend", async () => {
    for (const name of ["net_recommender", "flow_map"])
      expect(await checkBuilt(name, { inline: true, packed: true })).toMatchObject({
        refused: undefined,
        differences: [],
      });
  });

  test("texts of a program do not become code", async () => {
    const message = "a\"b'c`$" + "{x}\\ \u2028\u2029 */ </script>";
    const program = programOf(
      "%x: f32[2], %n: i64[]",
      `  %item: int(u0) = aten._local_scalar_dense.default(%n)
  %holds: bool(u0 >= 0) = operator.ge(%item, 0)
  %check = aten._assert_scalar.default(%holds, ${JSON.stringify(message)})
  %y: f32[2] = aten.mul.Tensor(%x, %item)`,
    );
    const { got } = await both(program, [[floats([1, 2]), ints(-1)]]);
    expect(got).toEqual([`ASSERTION_FAILED ${message}`]);
  });

  test("calls that no module holds are refused, all at once", async () => {
    const program = programOf(
      "%x: f32[4], %n: f32[]",
      `  %item: float(zuf0) = aten._local_scalar_dense.default(%n)
  %rounded: float(zuf1) = builtins.round(%item, 2)
  %y: f32[4] = aten.mul.Tensor(%x, %rounded)`,
    );
    const error = await buildModule(program, {}).catch((one: unknown) => one);
    expect(isSconceError(error, "BUILD_UNSUPPORTED")).toBe(true);
    expect((error as Error).message).toMatch(/%rounded \(builtins\.round\)/);
  });
});

/** Small numbers in a fixed order that looks random. */
const noise = (...shape: readonly number[]): Tensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = Array.from({ length: count }, (_, at) => Math.sin(at * 7.3 + 1) * 2);
  return floats(values).reshape(shape);
};

describe("control flow and sizes of data in built modules", () => {
  const rows = Dim("rows", { min: 0, max: 64 });
  const check = async (program: ExportedProgram, runs: readonly (readonly Value[])[]): Promise<void> => {
    const { got, want } = await both(program, runs);
    expect(got).toEqual(want);
    expect(got.filter((text) => /^[A-Z_]+ /.test(text))).toEqual([]);
  };

  test("loops over dynamic rows, none of them too", async () => {
    const mapped = (x: Tensor, y: Tensor): Tensor => map((x: Tensor, y: Tensor) => x.erfinv().add(y), x, y);
    const scanned = (x: Tensor, y: Tensor): unknown =>
      scan((sum: Tensor, x: Tensor) => [sum.add(x), sum.mul(x)] as [Tensor, Tensor], y, x, { dim: 0 });
    for (const model of [mapped, scanned]) {
      const program = exportProgram(model, [noise(3, 4), noise(4)], { dynamicShapes: [[rows, null], null] });
      await check(
        program,
        [3, 1, 7, 0].map((count) => [noise(count, 4), noise(4)]),
      );
    }
  });

  test("a loop with a branch inside, and views of what is carried", async () => {
    const program = exportProgram(
      (count: Tensor, x: Tensor) => {
        const [n, y] = whileLoop(
          (n: Tensor) => n.lt(6),
          (n: Tensor, x: Tensor) => [
            n.add(1),
            cond(
              n.remainder(2).gt(0),
              (x: Tensor) => x.t().clone().t().mul(1.5),
              (x: Tensor) => x.select(0, 0).add(x).sub(0.25),
              [x],
            ),
          ],
          [count, x],
        );
        return tuple(n!, y!.t());
      },
      [ints(0), noise(2, 3)],
    );
    await check(
      program,
      [0, 3, 9].map((count) => [ints(count), noise(2, 3)]),
    );
  });

  test("an associative scan", async () => {
    const program = exportProgram(
      (x: Tensor) =>
        associativeScan((a: Tensor, b: Tensor) => a.mul(b).add(1), x, { dim: 0, combineMode: "generic" }),
      [noise(5, 2)],
    );
    await check(program, [[noise(5, 2)]]);
  });

  test("branches by a dynamic size, with the size inside", async () => {
    const program = exportProgram(
      (x: Tensor) =>
        cond(
          sym.gt(x.size(0), 4),
          (x: Tensor) => x.mul(x.size(0)).sum(0),
          (x: Tensor) => x.sum(0).div(x.size(0)),
          [x],
        ),
      [noise(3, 2)],
      { dynamicShapes: [[rows, null]] },
    );
    await check(
      program,
      [2, 4, 5, 9].map((count) => [noise(count, 2)]),
    );
  });

  test("two steps that decide sizes, with kernels between them and after them", async () => {
    const program = exportProgram(
      (x: Tensor) => {
        const places = x.gt(0).nonzero();
        const values = places.mul(3).reshape(-1);
        const again = values.remainder(2).nonzero();
        return tuple(again.add(places.sum()), values.sum(), x.exp());
      },
      [noise(6)],
    );
    await check(program, [[noise(6)], [floats([1, 1, 1, 1, 1, 1])], [floats([-1, 2, -1, 4, -1, 6])]]);
    // Kernels for no element and for one are others, which this module does not have.
    const few = [0, 1].map((count) => [floats([-1, count, -1, -1, -1, -1])]);
    const { got } = await both(program, few);
    got.forEach((text, count) => {
      expect(text).toMatch(new RegExp(`^MODULE_SIZES .*Eq\\(u0, ${count}\\) is false`));
    });
  });

  test("a buffer that a step of the host writes", async () => {
    const state = torch.zeros([3]);
    const model = new (class extends nn.Module {
      readonly seen = new nn.Buffer(state);
      override forward(x: Tensor): Tensor {
        this.seen.copy_(this.seen.add(x.lgamma()));
        return this.seen.mul(2);
      }
    })();
    const program = exportProgram(model, [noise(3)]);
    await check(program, [[noise(3)], [noise(3)], [noise(3)]]);
  });
});
