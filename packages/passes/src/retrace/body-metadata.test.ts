import { type Argument, type ExportedProgram, isTuple, type NodeMeta, rebuild } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf } from "../programs.fixture.js";

const TRACED = {
  _torchdynamo_disable: true,
  _torchdynamo_disable_recursive: true,
  _torchdynamo_disable_method: "dispatch_trace",
};

const scan = (operands: string, inputs: string): string => `graph(%i: f32[4], %x: f32[3, 4], %k: f32[4]) {
  %body = get_attr scan_combine_graph_0
  %c: (f32[4], f32[3, 4]) = higher_order.scan(%body, [%i], [%x], ${operands})
  %y: f32[4] = operator.getitem(%c, 0)
  return (%y)

  graph scan_combine_graph_0(%carry: f32[4], %t: f32[4]${inputs}) {
    %s: f32[4] = aten.add.Tensor(%carry, %t)
    %m: f32[4] = aten.mul.Tensor(%carry, %t)
    return (%s, %m)
  }
}`;

const associativeScan = (operands: string, inputs: string): string => `graph(%x: f32[3, 4], %k: f32[4]) {
  %body = get_attr associative_scan_combine_graph_0
  %c: (f32[3, 4]) = higher_order.associative_scan(%body, [%x], ${operands})
  %y: f32[3, 4] = operator.getitem(%c, 0)
  return (%y)

  graph associative_scan_combine_graph_0(%a: f32[4], %b: f32[4]${inputs}) {
    %s: f32[4] = aten.add.Tensor(%a, %b)
    return (%s)
  }
}`;

const branches = (operands: string): string => `graph(%p: b8[], %x: f32[2]) {
  %yes = get_attr true_graph_0
  %no = get_attr false_graph_0
  %c: (f32[2]) = higher_order.cond(%p, %yes, %no, ${operands})
  %y: f32[2] = operator.getitem(%c, 0)
  return (%y)

  graph true_graph_0(%x: f32[2]) {
    %s: f32[2] = aten.silu.default(%x)
    return (%s)
  }

  graph false_graph_0(%x: f32[2]) {
    %s: f32[2] = aten.neg.default(%x)
    return (%s)
  }
}`;

/** The program with more metadata at some of its nodes. */
function withMeta(program: ExportedProgram, more: Readonly<Record<string, NodeMeta>>): ExportedProgram {
  const graph = rebuild(program.graph, (node) => ({ ...node, meta: { ...node.meta, ...more[node.name] } }));
  return program.with({ graph });
}

const lowered = (text: string): ExportedProgram => runDecompositions(programOf(text, "TRAINING"));

function operandsOf(program: ExportedProgram): readonly Argument[] {
  const call = [...program.graph.nodes()].find(({ target }) => target.startsWith("higher_order."))!;
  return call.args;
}

describe("containers of operands", () => {
  test.each([
    ["scan without operands", scan("[]", "")],
    ["scan with operands", scan("[%k]", ", %k: f32[4]")],
    ["scan with a tuple", scan("(%k)", ", %k: f32[4]")],
    ["associative_scan without operands", associativeScan("[]", "")],
    ["associative_scan with operands", associativeScan("[%k]", ", %k: f32[4]")],
  ])("%s makes a tuple of them", (_, text) => {
    const program = lowered(text);
    const args = operandsOf(program);
    expect(isTuple(args.at(-1)!)).toBe(true);
    expect(args.slice(0, -1).some(isTuple)).toBe(false);
    expect(runDecompositions(program)).toBe(program);
  });

  test.each([
    ["[%x]", false],
    ["(%x)", true],
  ])("cond keeps %s", (operands, isKept) => {
    expect(isTuple(operandsOf(lowered(branches(operands))).at(-1)!)).toBe(isKept);
  });
});

describe("placeholders and outputs of bodies", () => {
  const loweredWith = (meta: NodeMeta): ExportedProgram =>
    runDecompositions(withMeta(programOf(branches("[%x]"), "TRAINING"), { c: meta }));

  test("have the call's function and annotations, and no stack", () => {
    const sourceFnStack = [["cond", "torch.ops.higher_order.cond"]] as const;
    const program = loweredWith({
      torchFn: ["cond_1", "CondOp.cond"],
      sourceFnStack,
      custom: { stage: 1 },
      stackTrace: 'File "a.py", line 1, in forward\n  x',
    });
    for (const name of ["true_graph_0", "false_graph_0"]) {
      const body = program.graph.subgraphs.get(name)!;
      for (const node of [...body.placeholders(), body.outputNode()]) {
        expect(node.meta.torchFn).toEqual(["cond_1", "CondOp.cond"]);
        expect(node.meta.sourceFnStack).toEqual(sourceFnStack);
        expect(node.meta.custom).toEqual({ stage: 1, ...TRACED });
        expect(node.meta.stackTrace).toBeUndefined();
        expect(node.meta.nnModuleStack).toBeUndefined();
      }
    }
  });

  test("of a call without metadata name PyTorch's tracer only", () => {
    const body = loweredWith({}).graph.subgraphs.get("true_graph_0")!;
    const { val: _val, ...rest } = body.placeholders()[0]!.meta;
    expect(rest).toEqual({ custom: TRACED });
  });
});

test("state has the function of the last call that has one, each field by itself", () => {
  const program = programOf(
    `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
      %a: f32[2, 2] = aten.add.Tensor(%x, %p_w)
      %b: f32[2, 2] = aten.mul.Tensor(%a, %p_w)
      %c: f32[2, 2] = aten.sub.Tensor(%b, %p_w)
      return (%c)
    }`,
    "TRAINING",
  );
  const known = withMeta(program, {
    a: { sourceFnStack: [["add", "operator.add"]] },
    b: { torchFn: ["mul_1", "method_descriptor.mul"] },
  });
  const { torchFn, sourceFnStack } = runDecompositions(known).graph.node("p_w").meta;
  expect(torchFn).toEqual(["mul_1", "method_descriptor.mul"]);
  expect(sourceFnStack).toEqual([["add", "operator.add"]]);
});

describe("views of what was written to", () => {
  const trace = 'File "a.py", line 1, in forward\n  view = x.view(-1)';
  const views = (call: string, result: string): ExportedProgram => {
    const program = programOf(
      `graph(%x: f32[2, 2]) {
        %v: f32[4] = aten.view.default(%x, [4])
        %w: f32[2, 2] = aten.mul_.Tensor(%x, 2)
        ${call}
        return (${result})
      }`,
      "TRAINING",
    );
    return runDecompositions(withMeta(program, { v: { stackTrace: trace, custom: { stage: 1 } } }));
  };
  const viewOf = ({ graph }: ExportedProgram): NodeMeta =>
    [...graph.nodes()].find(({ target }) => target === "aten.view.default")!.meta;

  test("have the view's stack where a call reads them", () => {
    const { stackTrace, custom } = viewOf(views("%s: f32[4] = aten.sin.default(%v)", "%s"));
    expect(stackTrace).toBe(trace);
    expect(custom).toEqual({ stage: 1 });
  });

  test("have none where only an output does", () => {
    const { stackTrace, custom } = viewOf(views("", "%v"));
    expect(stackTrace).toBeUndefined();
    expect(custom).toBeUndefined();
  });
});
