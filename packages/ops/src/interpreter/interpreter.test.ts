import { type ExportedProgram, FakeTensor, type Node, type Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { STATIC_ENV } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { metaOf } from "../table/fake-emit.js";
import { Interpreter } from "./interpreter.js";
import { isInterpretedCall } from "./interpreter-run.js";
import { HOST_TENSORS } from "./tensor-access.js";
import type { CallArgument, NodeArgument, NodeResult, RuntimeValue } from "./values.js";

const floats = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const numbers = (value: unknown): number[] => [...(value as Tensor).toFloat64Array()];

const parse = (lines: string, graph: string, tensors?: ReadonlyMap<string, Tensor>): ExportedProgram =>
  parseIr(`sconce-ir 1\nprogram "ATEN" {\n${lines}\n}\n${graph}`, { tensors });

/** `x + x` if `p`, else `-x`. */
const branches = parse(
  "input %p: USER_INPUT\ninput %x: USER_INPUT\noutput %getitem: USER_OUTPUT",
  `graph(%p: b8[], %x: f32[2]) {
  %true_graph_0 = get_attr true_graph_0
  %false_graph_0 = get_attr false_graph_0
  %cond: (f32[2]) = higher_order.cond(%p, %true_graph_0, %false_graph_0, (%x,))
  %getitem: f32[2] = operator.getitem(%cond, 0)
  return (%getitem)

  graph true_graph_0(%x: f32[2]) {
    %add: f32[2] = aten.add.Tensor(%x, %x)
    return (%add)
  }
  graph false_graph_0(%x: f32[2]) {
    %neg: f32[2] = aten.neg.default(%x)
    return (%neg)
  }
}`,
);

const counter = parse(
  `buffer "count": f32[1]
input %b_count: BUFFER "count" persistent
input %x: USER_INPUT
output %next: BUFFER_MUTATION "count"
output %sum: USER_OUTPUT`,
  `graph(%b_count: f32[1], %x: f32[1]) {
  %next: f32[1] = aten.add.Tensor(%b_count, %x)
  %sum: f32[1] = aten.neg.default(%next)
  return (%next, %sum)
}`,
  new Map([["count", floats([0])]]),
);

const one = (value: unknown): Float32Array => (value as Tensor).data as Float32Array;
const KERNELS: Readonly<Record<string, (...args: readonly CallArgument[]) => Tensor>> = {
  "aten.add.Tensor": (a, b) => floats([...one(a)].map((value, i) => value + one(b)[i]!)),
  "aten.neg.default": (a) => floats([...one(a)].map((value) => -value)),
};

/** Runs two operators, and records the nodes that ran. */
class Small extends Interpreter {
  readonly seen: string[] = [];

  protected override runNode(node: Node): NodeResult {
    return this.whenDone(super.runNode(node), (value) => {
      this.seen.push([...this.graphPath, node.name].join("/"));
      return value;
    });
  }

  protected override callOperator(target: string, args: readonly CallArgument[]): NodeResult {
    return KERNELS[target]!(...args);
  }
}

const truth = (value: boolean): Tensor => Tensor.from([value], [], "bool");

describe("an interpreter with its own kernels", () => {
  test("runs the branch that is taken, and sees the nodes of nested graphs before the call is done", async () => {
    const interpreter = new Small(branches);
    expect(numbers((await interpreter.run([truth(true), floats([1, 2])]))[0])).toEqual([2, 4]);
    expect(interpreter.seen).toEqual([
      "p",
      "x",
      "true_graph_0",
      "false_graph_0",
      "true_graph_0/x",
      "true_graph_0/add",
      "true_graph_0/output",
      "cond",
      "getitem",
      "output",
    ]);
    expect(numbers(interpreter.runSync([truth(false), floats([1, 2])])[0])).toEqual([-1, -2]);
    expect(interpreter.profile().map(({ node }) => node)).toEqual([
      "true_graph_0",
      "false_graph_0",
      "cond",
      "getitem",
    ]);
  });

  test("writes mutated buffers to its own state; runs asked for together wait for each other", async () => {
    const interpreter = new Small(counter);
    const runs = await Promise.all([1, 2, 3].map((value) => interpreter.run([floats([value])])));
    expect(runs.map(([sum]) => numbers(sum)[0])).toEqual([-1, -3, -6]);
    expect(numbers(interpreter.state.get("count"))).toEqual([6]);
    expect(numbers(counter.tensor("count"))).toEqual([0]);
  });

  test("checks inputs, and reports errors of a kernel with node and graph", async () => {
    const interpreter = new Small(branches);
    await expect(interpreter.run([truth(true)])).rejects.toMatchObject({ code: "INPUT_COUNT" });
    const broken = new (class extends Small {
      protected override callOperator(): NodeResult {
        throw new TypeError("no such buffer");
      }
    })(branches);
    await expect(broken.run([truth(true), floats([1, 2])])).rejects.toMatchObject({
      code: "KERNEL_FAILED",
      message: "no such buffer",
      where: 'node "cond" (higher_order.cond): node "add" (aten.add.Tensor)',
    });
    expect(broken.graphPath.length).toBeLessThan(2);
  });

  test("is refused after dispose", async () => {
    const interpreter = new Small(counter);
    interpreter.dispose();
    await expect(interpreter.run([floats([1])])).rejects.toMatchObject({ code: "DISPOSED" });
  });
});

describe("kernels that give promises", () => {
  class Later extends Small {
    protected override callOperator(target: string, args: readonly CallArgument[]): NodeResult {
      return new Promise((done) => setTimeout(() => done(KERNELS[target]!(...args)), 1));
    }
  }

  test("are awaited, also in nested graphs", async () => {
    expect(numbers((await new Later(branches).run([truth(true), floats([1, 2])]))[0])).toEqual([2, 4]);
  });

  test("cannot run synchronously", () => {
    expect(() => new Later(branches).runSync([truth(true), floats([1, 2])])).toThrowError(
      expect.objectContaining({ code: "INTERPRETER_ASYNC" }),
    );
  });

  test("a rejection names the node; a signal stops the run between nodes", async () => {
    const failing = new (class extends Later {
      protected override callOperator(): NodeResult {
        return Promise.reject(new Error("device lost"));
      }
    })(counter);
    await expect(failing.run([floats([1])])).rejects.toMatchObject({
      message: "device lost",
      where: 'node "next" (aten.add.Tensor)',
    });
    const stop = new AbortController();
    const slow = new (class extends Small {
      protected override callOperator(target: string, args: readonly CallArgument[]): NodeResult {
        stop.abort();
        const end = performance.now() + 30;
        while (performance.now() < end);
        return super.callOperator(target, args);
      }
    })(counter);
    await expect(slow.run([floats([1])], { signal: stop.signal })).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("values that are not tensors in memory", () => {
  /** Computes shapes and dtypes only, as `FakeTensorProp` does. */
  class Shapes extends Interpreter<FakeTensor> {
    protected override checkInputs(): void {}

    protected override placeholder(_node: Node, value: RuntimeValue<FakeTensor | Tensor>): FakeTensor {
      if (value instanceof FakeTensor) return value;
      const { dtype, shape, strides } = value as Tensor;
      return new FakeTensor({ dtype, shape, strides });
    }

    protected override callOperator(
      target: string,
      args: readonly CallArgument<FakeTensor>[],
    ): NodeResult<FakeTensor> {
      return metaOf(this.operators, target, args, {}, STATIC_ENV) as NodeArgument<FakeTensor>;
    }

    protected override writeBack(): ReadonlyMap<string, FakeTensor> {
      return new Map();
    }
  }

  test("fake tensors give the shape of every result without numbers", () => {
    const [sum] = new Shapes(counter).runSync([
      new FakeTensor({ dtype: "float32", shape: [1], strides: [1] }),
    ]);
    expect([(sum as FakeTensor).dtype, (sum as FakeTensor).shape]).toEqual(["float32", [1]]);
  });

  test("control flow and write-backs that need numbers are refused, with what to override", async () => {
    const fake = (dtype: "bool" | "float32", shape: readonly number[]): FakeTensor =>
      new FakeTensor({ dtype, shape, strides: shape.map(() => 1) });
    const inputs: (Value | FakeTensor)[] = [fake("bool", []), fake("float32", [2])];
    await expect(new Shapes(branches).run(inputs)).rejects.toMatchObject({
      code: "INTERPRETER_TENSORS",
      where: 'node "cond" (higher_order.cond)',
    });
    const small = new Small(counter, { tensors: { ...HOST_TENSORS } });
    await expect(small.run([floats([1])])).rejects.toMatchObject({ code: "INTERPRETER_TENSORS" });
  });
});

test("a class without callOperator is named", async () => {
  class Bare extends (Interpreter as unknown as typeof Small) {}
  Object.defineProperty(Bare.prototype, "callOperator", { value: undefined });
  await expect(new Bare(counter).run([floats([1])])).rejects.toMatchObject({
    code: "INTERPRETER_OPERATORS",
    message: 'the class "Bare" extends Interpreter and has no method callOperator',
  });
});

test("what interpreters run by themselves", () => {
  const targets = [
    "operator.getitem",
    "operator.add",
    "higher_order.scan",
    "aten.add.Tensor",
    "my.op.default",
  ];
  expect(targets.map(isInterpretedCall)).toEqual([true, true, true, false, false]);
});
