import { exportProgram, nn, pythonTuple as tuple } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { associativeScan } from "./associative-scan.js";
import { cond } from "./cond.js";
import { map } from "./map.js";
import { scan } from "./scan.js";
import { whileLoop } from "./while-loop.js";

class Net extends nn.Module {
  readonly b = new nn.Buffer(torch.ones(4, 3));
  readonly run: (x: Tensor, b: Tensor) => unknown;

  constructor(run: (x: Tensor, b: Tensor) => unknown) {
    super();
    this.run = run;
  }

  override forward(x: Tensor): unknown {
    return this.run(x, this.b);
  }
}

type Verdict = "accepted" | "input" | "output" | "inputs" | "write";

const VERDICTS: Readonly<Record<string, Verdict>> = {
  "Input-to-output": "output",
  "Output-to-output": "output",
  "Input-to-input": "inputs",
  "input mutation": "write",
};

function verdict(run: (x: Tensor, b: Tensor) => unknown): Verdict | string {
  try {
    exportProgram(new Net(run), [torch.ones(4, 3)], { onWarning: () => undefined });
    return "accepted";
  } catch (error) {
    const { message } = error as Error;
    return Object.entries(VERDICTS).find(([part]) => message.includes(part))?.[1] ?? message;
  }
}

const halves = (t: Tensor): Tensor[] => t.split(2) as Tensor[];

// The verdicts are those of PyTorch 2.14 for the same functions.
describe("branches", () => {
  test.each<[string, (t: Tensor) => unknown, Verdict]>([
    ["themselves", (t) => t, "output"],
    ["a copy", (t) => t.clone(), "accepted"],
    ["contiguous() of what is contiguous", (t) => t.contiguous(), "output"],
    ["contiguous() of what is not", (t) => t.t().contiguous(), "accepted"],
    ["reshape() that is a view", (t) => t.reshape(12), "output"],
    ["reshape() that copies", (t) => t.t().reshape(12), "accepted"],
    ["flatten()", (t) => t.flatten(), "output"],
    ["ravel()", (t) => t.ravel(), "output"],
    ["the dtype that they have", (t) => t.to("float32"), "output"],
    ["another dtype", (t) => t.to("float64"), "accepted"],
    ["typeAs()", (t) => t.typeAs(t), "output"],
    ["dropout that drops nothing", (t) => nn.functional.dropout(t, { p: 0.5, training: false }), "output"],
    ["positive()", (t) => torch.positive(t), "output"],
    ["detach()", (t) => t.detach(), "output"],
    ["one of several views", (t) => halves(t)[1], "output"],
    ["meshgrid()", (t) => torch.meshgrid([t.at(0), t.at(1)], { indexing: "ij" })[0], "output"],
    ["einsum() that permutes", (t) => torch.einsum("ij->ji", [t]), "output"],
    ["flip()", (t) => t.flip([0]), "accepted"],
    ["padding of nothing", (t) => nn.functional.pad(t, [0, 0]), "accepted"],
    ["one tensor twice", (t) => tuple(...[t.sin()].flatMap((u) => [u, u])), "output"],
    ["two views of one tensor", (t) => tuple(...halves(t.sin())), "output"],
    ["a view of a new tensor", (t) => t.sin().at(0), "accepted"],
  ])("that return %s are judged as by PyTorch", (_, branch, wanted) => {
    expect(
      verdict((x) =>
        cond(
          x.sum().gt(0),
          (t: Tensor) => branch(t),
          (t: Tensor) => branch(t),
          [x],
        ),
      ),
    ).toBe(wanted);
  });

  test.each<[string, (t: Tensor) => Tensor, Verdict]>([
    ["an input", (t) => t.add_(1), "write"],
    ["a view of an input", (t) => t.at(0).add_(1), "write"],
    ["reshape() that is a view", (t) => t.reshape(12).mul_(2), "write"],
    ["reshape() that copies", (t) => t.t().reshape(12).mul_(2), "accepted"],
    ["contiguous() of what is contiguous", (t) => t.contiguous().mul_(2), "write"],
    ["the dtype that they have", (t) => t.to("float32").mul_(2), "write"],
    ["a new tensor", (t) => t.sin().add_(1), "accepted"],
  ])("that write to %s are judged as by PyTorch", (_, branch, wanted) => {
    expect(verdict((x) => cond(x.sum().gt(0), branch, branch, [x]))).toBe(wanted);
  });
});

describe("tensors that a function reads", () => {
  const zero = (): Tensor => torch.zeros([], { dtype: "int64" });
  test.each<[string, (x: Tensor, b: Tensor) => unknown, Verdict]>([
    [
      "one operand twice",
      (x) =>
        cond(
          x.sum().gt(0),
          (a: Tensor, c: Tensor) => a.add(c),
          (a: Tensor) => a.mul(2),
          [x, x],
        ),
      "accepted",
    ],
    [
      "a tensor and a view of it",
      (x) => {
        const v = x.at(0);
        return cond(
          x.sum().gt(0),
          () => v.add(x),
          () => x.add(1),
        );
      },
      "inputs",
    ],
    ["a view of what is mapped", (x) => map((r: Tensor) => r.add(x.t().at(0, 0)), x), "inputs"],
    [
      "two views that map passes",
      (x) => map((r: Tensor, k: Tensor, l: Tensor) => r.add(k).add(l), x.sin(), x.at(0), x.at(1)),
      "inputs",
    ],
    ["one tensor that is mapped twice", (x) => map(([a, c]: Tensor[]) => a!.add(c!), [x, x]), "inputs"],
    [
      "a view of what a loop carries",
      (x) => {
        const v = x.at(0);
        return whileLoop(
          (i: Tensor) => i.lt(2),
          (i: Tensor, a: Tensor) => [i.add(1), a.add(v)],
          [zero(), x],
        );
      },
      "accepted",
    ],
    [
      "one carry twice",
      (x) =>
        whileLoop(
          (i: Tensor) => i.lt(2),
          (i: Tensor, a: Tensor, c: Tensor) => [i.add(1), a.add(c), c.add(1)],
          [zero(), x, x],
        ),
      "accepted",
    ],
    [
      "a view of what is scanned",
      (x) => {
        const v = x.at(1);
        return scan((c: Tensor, r: Tensor) => [c.add(r).add(v), r.add(1)], x.at(0).clone(), x);
      },
      "accepted",
    ],
    [
      "a view, for prefixes",
      (x) => {
        const v = x.at(1);
        return associativeScan((a: Tensor, c: Tensor) => a.add(c).add(v), x.sin(), { dim: 0 });
      },
      "accepted",
    ],
    [
      "a buffer that it returns",
      (x, b) =>
        cond(
          x.sum().gt(0),
          () => b,
          () => x.add(1),
        ),
      "output",
    ],
    [
      "a buffer of which it returns a view",
      (x, b) =>
        cond(
          x.sum().gt(0),
          () => b.at(0),
          () => x.at(0).add(1),
        ),
      "output",
    ],
    [
      "a buffer that it writes to",
      (x, b) =>
        cond(
          x.sum().gt(0),
          () => b.add_(1).clone(),
          () => x.clone(),
        ),
      "write",
    ],
    ["items that it writes to", (x) => map((r: Tensor) => r.add_(1).clone(), x), "write"],
    [
      "a carry that its condition writes to",
      (x) =>
        whileLoop(
          (a: Tensor) => a.add_(1).sum().lt(3),
          (a: Tensor) => [a.add(1)],
          [x],
        ),
      "write",
    ],
    [
      "a carry that is the result too",
      (x) =>
        scan(
          (c: Tensor, r: Tensor) => {
            const next = c.add(r);
            return [next, next];
          },
          x.at(0).clone(),
          x,
        ),
      "output",
    ],
  ])("%s are judged as by PyTorch", (_, run, wanted) => {
    expect(verdict(run)).toBe(wanted);
  });
});
