/**
 * @file Bodies of control flow that write to what they are given, and results that are written
 * later: programs as text, since no export holds such bodies. Values of PyTorch 2.14.
 */

import { torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const BACKENDS = ["cpu", "wasm", "gpujs:cpu"];

/** `%X` is `[[1, 2], [3, 4]]`, `%Y` is `[10, 20]`; a program gives `%a`, `%X` and `%Y`. */
interface Body {
  readonly calls: string;
  readonly graphs: string;
}

const programOf = ({ calls, graphs }: Body): string => `sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  input %y: USER_INPUT
  output %a: USER_OUTPUT
  output %X: USER_OUTPUT
  output %Y: USER_OUTPUT
}
graph(%x: f32[2, 2], %y: f32[2]) {
  %X = aten.mul.Tensor(%x, 1)
  %Y = aten.mul.Tensor(%y, 1)
  %zero = aten.full.default([], 0, dtype=int64)
  %zeros = aten.mul.Tensor(%X, 0)
  %g = get_attr g
  ${calls.split("; ").join("\n  ")}
  return (%a, %X, %Y)
  ${graphs.split("; ").join("\n  ")}
}`;

async function run(body: Body, backend: string): Promise<readonly unknown[]> {
  using executable = await session.compile(session.parseIr(programOf(body)), backend);
  const x = Tensor.from([1, 2, 3, 4], [2, 2], "float32");
  const results = await executable.run([x, Tensor.from([10, 20], [2], "float32")]);
  return results.map((value) => (value as Tensor).toArray());
}

const X = [
  [1, 2],
  [3, 4],
];
const Y = [10, 20];

/** A loop on a value of the program, with `rounds` rounds and additional operands. */
const loop = (carried: string, rounds: number, round: string, rest = ""): Body => ({
  calls: `%c = get_attr c; %v = higher_order.while_loop(%c, %g, (%zero, ${carried}), (${rest}))`,
  graphs:
    `graph c(%n: i64[], %h${rest && ", %k"}) {; %l = aten.lt.Scalar(%n, ${rounds}); return %l; }; ` +
    `graph g(%n: i64[], %h${rest && ", %k"}) {; %m = aten.add.Tensor(%n, 1); ${round}; return (%m, %o); }`,
});
const after = (body: Body, calls: string): Body => ({ ...body, calls: `${body.calls}; ${calls}` });
const scan = (xs: string, round: string, operands = "", rest = ""): Body => ({
  calls: `%v = higher_order.scan(%g, [%Y], [${xs}], (${operands}))`,
  graphs: `graph g(%h, %e${rest}) {; ${round}; %n = aten.add.Tensor(%h, %e); %o = aten.add.Tensor(%e, 1); return (%n, %o); }`,
});
const map = (operands: string, round: string, rest = ""): Body => ({
  calls: `%v = higher_order.map_impl(%g, [%X], [${operands}]); %a = operator.getitem(%v, 0)`,
  graphs: `graph g(%e${rest}) {; ${round}; return (%o,); }`,
});
const add = "%o = aten.add.Tensor(%h, 1)";
const written = "%a = operator.getitem(%v, 1); %w = aten.add_.Tensor(%a, 5)";
const last = "%a = operator.getitem(%v, 1)";
const none = "%s = aten.slice.Tensor(%X, 0, 0, 0)";
const withNone = (body: Body): Body => ({ ...body, calls: `${none}; ${body.calls}` });

const CASES: Readonly<Record<string, readonly [Body, readonly unknown[]]>> = {
  "a loop without rounds gives copies": [
    after(loop("%X", 0, add), written),
    [
      [
        [6, 7],
        [8, 9],
      ],
      X,
      Y,
    ],
  ],
  "a loop without rounds copies a view": [
    after(
      { ...loop("%r", 0, add), calls: `%r = aten.select.int(%X, 0, 1); ${loop("%r", 0, add).calls}` },
      written,
    ),
    [[8, 9], X, Y],
  ],
  "what is carried may be written after a loop without rounds": [
    after(loop("%X", 0, add), `${last}; %w = aten.mul_.Tensor(%X, 100)`),
    [
      X,
      [
        [100, 200],
        [300, 400],
      ],
      Y,
    ],
  ],
  "a loop with rounds gives what the body gives": [
    after(loop("%X", 1, "%o = aten.add_.Tensor(%h, 1)"), written),
    [
      [
        [7, 8],
        [9, 10],
      ],
      [
        [7, 8],
        [9, 10],
      ],
      Y,
    ],
  ],
  "a scan copies its first row": [
    after(scan("%X", "%q = aten.add_.Tensor(%e, 100)"), last),
    [
      [
        [102, 103],
        [104, 105],
      ],
      [
        [1, 2],
        [103, 104],
      ],
      Y,
    ],
  ],
  "a scan writes to its operands": [
    after(scan("%X", "%q = aten.add_.Tensor(%k, 1)", "%Y", ", %k"), last),
    [
      [
        [2, 3],
        [4, 5],
      ],
      X,
      [12, 22],
    ],
  ],
  "a scan without rows runs on zeros once": [
    withNone(after(scan("%s", "%q = aten.add_.Tensor(%k, 1)", "%X", ", %k"), "%a = operator.getitem(%v, 0)")),
    [
      Y,
      [
        [2, 3],
        [4, 5],
      ],
      Y,
    ],
  ],
  "a scan without rows has the sizes of its rows": [
    withNone(
      after(
        scan("%s", "%q = aten.sum.default(%e)"),
        "%b = operator.getitem(%v, 1); %t = aten.sum.dim_IntList(%b, [0]); %a = aten.add.Tensor(%t, %Y)",
      ),
    ),
    [Y, X, Y],
  ],
  "a map writes to its rows": [
    map("", "%q = aten.add_.Tensor(%e, 100); %o = aten.add.Tensor(%e, 1)"),
    [
      [
        [102, 103],
        [104, 105],
      ],
      [
        [101, 102],
        [103, 104],
      ],
      Y,
    ],
  ],
  "a map takes its rows before a body changes their layout": [
    map("%X", "%q = aten.t_.default(%k); %q2 = aten.mul_.Tensor(%k, 2); %o = aten.mul.Tensor(%e, 1)", ", %k"),
    [
      [
        [2, 4],
        [12, 16],
      ],
      [
        [4, 8],
        [12, 16],
      ],
      Y,
    ],
  ],
  "a loop keeps the layout that its body gives an operand": [
    after(loop("%zeros", 3, "%q = aten.t_.default(%k); %o = aten.add.Tensor(%h, %q)", "%X"), last),
    [
      [
        [3, 8],
        [7, 12],
      ],
      [
        [1, 3],
        [2, 4],
      ],
      Y,
    ],
  ],
};

describe.each(BACKENDS)("on %s", (backend) => {
  test.each(Object.entries(CASES))("%s", async (_, [body, wanted]) => {
    expect(await run(body, backend)).toEqual(wanted.map((value) => (value as number[][]).flat()));
  });
});

test("eager loops without rounds give copies", () => {
  const x = torch.tensor([1, 2, 3]);
  const [first, { second }] = torch.whileLoop(
    (a) => a.sum().lt(0),
    (a, { second }) => [a.add(1), { second: second.add(1) }],
    [x, { second: x }],
  );
  first.add_(1);
  second.mul_(10);
  expect([x.tolist(), first.tolist(), second.tolist()]).toEqual([
    [1, 2, 3],
    [2, 3, 4],
    [10, 20, 30],
  ]);
});
