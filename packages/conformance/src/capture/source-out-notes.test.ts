/** @file Programs that do not come back equal: what is written says why. */
import { associativeScan, Dim, type Exportable, exportProgram, nn, slice, sym, torch } from "@sconce/capture";
import { typescriptModule } from "@sconce/capture/typescript";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { comparable } from "./harness.fixture.js";
import { exportModule, runModule } from "./source-out.fixture.js";

const x = torch.arange(8).to("float32").reshape(2, 4);
const i = torch.tensor(1);

class Strict extends nn.Module {
  readonly first = new nn.Linear(4, 4);
  readonly scale = new nn.Parameter(torch.ones(4));

  override forward(a: Tensor): Tensor {
    return this.first(a).mul(this.scale);
  }
}

class Cache extends nn.Module {
  readonly rows = new nn.Buffer(torch.zeros(2, 4));

  override forward(a: Tensor, at: Tensor): Tensor {
    this.rows.setAt([at.item()], a.at(0));
    return this.rows.sum(0);
  }
}

type Written = readonly [model: Exportable, args: readonly unknown[], options?: object];

function roundTrip([model, args, options]: Written) {
  const program = exportProgram(model, [...args], options);
  const { text, differences } = typescriptModule(program);
  const again = exportModule(runModule(text));
  const isEqual = comparable(String(again)) === comparable(String(program));
  return { text, isEqual, reasons: differences.map(({ reason }) => reason) };
}

const scanned =
  (options: object) =>
  (a: Tensor): unknown =>
    associativeScan((left: Tensor, right: Tensor) => left.add(right), a, options as never);

test.each<[string, Written]>([
  ["another dimension", [scanned({ dim: 1 }), [x]]],
  ["the first dimension", [scanned({ dim: 0 }), [x]]],
  ["reversed items", [scanned({ dim: 1, reverse: true }), [x]]],
  [
    "a dict of two tensors",
    [
      (a: Tensor) =>
        associativeScan(
          (left: { u: Tensor; v: Tensor }, right: { u: Tensor; v: Tensor }) => ({
            u: left.u.mul(right.u),
            v: left.v.mul(right.u).add(right.v),
          }),
          { u: a, v: a.neg() },
          { dim: 1 },
        ),
      [x],
    ],
  ],
])("an associative scan over %s comes back equal", (_, written) => {
  const { text, isEqual, reasons } = roundTrip(written);
  expect([isEqual, reasons]).toEqual([true, []]);
  expect(text).not.toContain(".movedim(");
});

test.each<[string, Written, string]>([
  ["parameters in the order of their use", [new Strict(), [x], { strict: true }], "input-order"],
  ["a write at a place that the data decide", [new Cache(), [x, i]], "data-condition"],
  [
    "a size that nothing reads",
    [
      (a: Tensor) => torch.ones(a.at(slice(null, null, 3)).size(0)).mul(sym.floorDiv(a.size(0), 3)),
      [torch.ones(9)],
      { dynamicShapes: [{ 0: Dim("n", { min: 2 }).mul(3) }] },
    ],
    "unused-size",
  ],
])("%s is noted", (_, written, reason) => {
  const { text, isEqual, reasons } = roundTrip(written);
  expect([isEqual, [...new Set(reasons)]]).toEqual([false, [reason]]);
  expect(text).toContain(` * - ${reason} at `);
});

test("keys that an object sorts are those of a Map", () => {
  const program = exportProgram(
    (a: Tensor) =>
      new Map([
        ["10", a.neg()],
        ["2", a],
      ]),
    [x],
  );
  const dict = (key: string): string => key.replace("collections.OrderedDict", "builtins.dict");
  const outSpec = JSON.parse(dict(JSON.stringify(program.outSpec))) as typeof program.outSpec;
  const [root] = program.moduleCallGraph;
  const moduleCallGraph = [{ ...root!, signature: { ...root!.signature!, outSpec: outSpec! } }];
  const { text, differences } = typescriptModule(program.with({ moduleCallGraph }));
  expect(text).toContain('return new Map([["10", neg], ["2", a]]);');
  expect(differences).toEqual([{ reason: "ordered-dict", where: "the keys 10, 2" }]);
  expect(comparable(String(exportModule(runModule(text))))).toBe(comparable(String(program)));
});
