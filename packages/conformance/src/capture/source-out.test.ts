import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  associativeScan,
  Dim,
  exportProgram,
  float,
  library,
  nn,
  noGrad,
  sym,
  torch,
  whileLoop,
} from "@sconce/capture";
import { typescriptText } from "@sconce/capture/typescript";
import { codeText, type ExportedProgram, edit, renameNodes } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { comparable } from "./harness.fixture.js";
import {
  exportModule,
  openCorpusProgram,
  runModule,
  writtenAgain,
  writtenCallProblems,
} from "./source-out.fixture.js";
import { typeErrors } from "./type-check.fixture.js";

const written = mkdtempSync(fileURLToPath(new URL("../../dist/.written-", import.meta.url)));
afterAll(() => rmSync(written, { recursive: true }));
const texts: string[] = [];

/** Keeps a text for the check of types. */
function kept(text: string): string {
  texts.push(text);
  return text;
}

class Net extends nn.Module {
  readonly fc = new nn.Linear(4, 3);
  readonly count = new nn.Buffer(torch.zeros(3));

  override forward(x: Tensor): Tensor {
    const y = this.fc(x).relu();
    noGrad(() => this.count.add_(float(1)));
    return torch.cat([y, y.mul(this.count)], 1);
  }
}

/** A program with other names of its state. */
function withStateNames(program: ExportedProgram, rename: (name: string) => string): ExportedProgram {
  const { graphSignature, stateDict, parameterNames } = program;
  return program.with({
    graphSignature: {
      ...graphSignature,
      inputSpecs: graphSignature.inputSpecs.map((spec) =>
        spec.target === null ? spec : { ...spec, target: rename(spec.target) },
      ),
    },
    stateDict: new Map([...stateDict].map(([name, value]) => [rename(name), value])),
    parameterNames: new Set([...parameterNames].map(rename)),
  });
}

describe("source out", () => {
  test("a program is a class with state, example arguments and dims [S-069]", () => {
    const batch = Dim("batch", { max: 64 });
    const program = exportProgram(new Net(), [torch.ones(2, 4)], { dynamicShapes: { x: { 0: batch } } });
    const text = kept(typescriptText(program));
    expect(text).toMatchSnapshot();
    const module = runModule(text);
    expect(comparable(String(exportModule(module)))).toBe(comparable(String(program)));
    module.load!(program);
    expect([...exportModule(module).stateDict].map(([name, tensor]) => [name, tensor.toArray()])).toEqual(
      [...program.stateDict].map(([name, tensor]) => [name, tensor.toArray()]),
    );
  });

  test.each([
    "net_llama_decode",
    "flow_cond_tree",
    "flow_map",
    "flow_scan_reverse",
    "flow_while_data",
    "unbacked_int",
    "pm_buffer_updates",
    "shape_conv_sizes",
    "tree_nested",
    "tree_namedtuple",
    "tree_custom_node",
    "api_register_dataclass",
    "text_arguments",
  ])("%s gives PyTorch's program and numbers [S-069]", async (name) => {
    const { text, got, wanted } = await writtenAgain(name, "program");
    kept(text);
    expect(got).toBe(wanted);
    expect(await writtenCallProblems(name)).toEqual([]);
  });

  test.each(["flow_cond_tree", "net_quantized", "net_quantized_decomposed"])(
    "%s is written lowered",
    async (name) => {
      const { text, got, wanted } = await writtenAgain(name, "decomposed");
      kept(text);
      expect(got).toBe(wanted);
    },
  );

  test("a generic associative scan is written item by item", async () => {
    kept((await writtenAgain("flow_associative_scan", "program")).text);
    expect(await writtenCallProblems("flow_associative_scan")).toEqual([]);
  });

  test("a pointwise associative scan is a call with its function", () => {
    const scanned = (x: Tensor, y: Tensor): unknown =>
      associativeScan(([a, b]: Tensor[], [c, d]: Tensor[]) => [a!.mul(c!).add(y), b!.add(d!)], [x, x.sin()], {
        dim: 1,
        reverse: true,
      });
    const args = [torch.arange(12).reshape(3, 4).div(7), torch.ones(3)] as const;
    const program = exportProgram(scanned, args);
    const text = kept(typescriptText(program));
    expect(text).toContain("associativeScan<readonly [Tensor, Tensor]>(");
    const again = exportModule(runModule(text));
    expect(String(again.call(...args))).toBe(String(program.call(...args)));
  });

  test("an integer that a loop carries is a size of its functions", () => {
    const counted = (x: Tensor): unknown =>
      whileLoop(
        (i: number, _: Tensor) => sym.lt(i, 5),
        (i: number, y: Tensor) => [sym.add(i, 1), y.mul(2)],
        [0, x],
      );
    const program = exportProgram(counted, [torch.ones(3)]);
    const text = kept(typescriptText(program));
    expect(text).toContain("(arg0_1: Size, arg1_1: Tensor) =>");
    expect(codeText(exportModule(runModule(text)).graph)).toBe(codeText(program.graph));
  });

  test("what is neither a method nor a function is called by the name of its overload", async () => {
    const text = typescriptText(await openCorpusProgram("net_quantized_decomposed", "program"));
    expect(text).toContain("torch.ops.quantized_decomposed.quantize_per_tensor.default(");
  });

  test("names of a file never become code", () => {
    const hostile = 'x"]; process.exit(1); //\u2028';
    const rename = (name: string): string =>
      name.replace("fc", 'f"c\n*/').replace("weight", "`\u0024{0}`\u2029");
    const exported = withStateNames(exportProgram(new Net(), [torch.ones(2, 4)]), rename);
    const { graph, graphSignature, moduleCallGraph, stateDict: state } = exported;
    const nodes = new Map([...graph.nodes()].map(({ name }, i) => [name, `${hostile}${i}`]));
    const renamed = <T extends { readonly name: string }>(arg: T): T => ({
      ...arg,
      name: nodes.get(arg.name)!,
    });
    const [root] = moduleCallGraph;
    const program = exported.with({
      graph: renameNodes(graph, nodes),
      graphSignature: {
        inputSpecs: graphSignature.inputSpecs.map((spec) => ({ ...spec, arg: renamed(spec.arg) })),
        outputSpecs: graphSignature.outputSpecs.map((spec) => ({ ...spec, arg: renamed(spec.arg) })),
      },
      moduleCallGraph: [{ fqn: "", signature: { ...root!.signature!, forwardArgNames: [hostile] } }],
    });
    const text = kept(typescriptText(program));
    expect(text).not.toMatch(/[\u2028\u2029]/);
    const { model } = runModule(text);
    expect([...model.stateDict().keys()].sort()).toEqual([...state.keys()].sort());
    const result = (model as unknown as (x: Tensor) => Tensor)(torch.ones(2, 4));
    expect(result.shape).toEqual([2, 6]);
  });

  test("texts of a program are strings", () => {
    const text = '\u0024{process.exit(1)}`"\\\u2028*/';
    const asserts = (x: Tensor): Tensor => {
      torch.ops.aten._assert_async.msg(x.gt(0).all(), text);
      return x;
    };
    const program = exportProgram(asserts, [torch.ones(2)]);
    const again = exportModule(runModule(kept(typescriptText(program))));
    const messages = [...again.graph.nodes()].flatMap(({ args }) =>
      args.filter((arg) => typeof arg === "string"),
    );
    expect(messages).toEqual([text]);
  });

  test("an operator that is declared is called by its name", () => {
    const double = library.customOp(
      "written::double",
      { schema: "(Tensor x, int times) -> Tensor", mutatesArgs: [] },
      (x: Tensor, times: number) => x.mul(2 * times),
    );
    double.registerFake((x: Tensor) => torch.emptyLike(x));
    const program = exportProgram((x: Tensor) => double(x, 3).sin(), [torch.ones(2)]);
    const text = kept(typescriptText(program));
    expect(text).toContain('callOperator("written.double.default", [x, 3]) as Tensor;');
    expect(comparable(String(exportModule(runModule(text))))).toBe(comparable(String(program)));
  });

  test("what the functional API has no way to write is refused, with the node", async () => {
    const program = await openCorpusProgram("pm_custom_op", "program");
    // Other tests of the process declare `mylib::sin`.
    const graph = edit(program.graph, (e) => e.replaceNode("sin", { target: "unknown.sin.default" }));
    expect(() => typescriptText(program.with({ graph }))).toThrow(
      expect.objectContaining({
        code: "NO_TYPESCRIPT",
        where: "sin",
        message: "the call of unknown.sin.default cannot be written as TypeScript",
      }),
    );
  });

  test.each(["forward", "training", "__proto__", "constructor"])(
    "a part of the state with the name %s is refused",
    (name) => {
      const program = withStateNames(exportProgram(new Net(), [torch.ones(2, 4)]), (path) =>
        path.replace("fc", name),
      );
      expect(() => typescriptText(program)).toThrow(
        expect.objectContaining({ code: "NO_TYPESCRIPT", where: `${name}.weight` }),
      );
    },
  );

  test("a lowered program with a written buffer is functional again when it is lowered", () => {
    const lowered = runDecompositions(exportProgram(new Net(), [torch.ones(2, 4)]));
    const text = kept(typescriptText(lowered));
    expect(text).toContain("this.count.copy_(");
    const again = runDecompositions(exportModule(runModule(text)));
    expect(String(again)).toContain("BUFFER_MUTATION target='count'");
    expect([...again.graph.nodes()].map(({ target }) => target)).toEqual(
      [...lowered.graph.nodes()].map(({ target }) => target),
    );
  });

  test("what is written has the right types", async () => {
    texts.forEach((text, i) => {
      writeFileSync(join(written, `written_${i}.ts`), text);
    });
    expect(texts.length).toBeGreaterThan(18);
    expect(await typeErrors(written)).toBe("");
  });
});

describe("options of the export that a program needs are named at the head of its text", () => {
  test("assertions on sizes of inputs", () => {
    const model = (x: Tensor): Tensor => x.view([-1, 4]).sum();
    const program = exportProgram(model, [torch.ones(8)], {
      dynamicShapes: [{ 0: Dim("n") }],
      preferDeferredRuntimeAssertsOverGuards: true,
    });
    expect(typescriptText(program)).toMatch(
      /^\/\*\n \* Exported, .*\n \* - deferred-condition at \w+: .*`preferDeferredRuntimeAssertsOverGuards: true`\.\n/,
    );
  });

  test("parameters in the order of a strict export", () => {
    class Head extends nn.Module {
      readonly a = new nn.Linear(2, 2);
      readonly head = new nn.Linear(2, 2);
      override forward(x: Tensor): Tensor {
        const start = x.add(this.head.bias!);
        return this.head(this.a(start));
      }
    }
    const strict = exportProgram(new Head(), [torch.ones(1, 2)], { strict: true });
    expect(typescriptText(strict)).toMatch(/ \* - input-order at head\.bias: /);
    expect(typescriptText(exportProgram(new Head(), [torch.ones(1, 2)]))).toMatch(/^import /);
  });

  test("writes to parameters", () => {
    class Decay extends nn.Module {
      readonly w = new nn.Parameter(torch.ones(3));
      override forward(x: Tensor): Tensor {
        return x.mul(this.w.mul_(float(0.5)));
      }
    }
    const program = noGrad(() => exportProgram(new Decay(), [torch.ones(3)]));
    expect(typescriptText(program)).toMatch(/ \* - parameter-write at mul_: .*`torch\.noGrad`\.\n/);
  });
});
