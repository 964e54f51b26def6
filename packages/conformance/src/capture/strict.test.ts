import { callOperator, cond, Dim, exportProgram, nn, torch, tuple } from "@sconce/capture";
import { type Graph, isRef } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { DOCUMENT_MODELS } from "./documents.fixture.js";
import { FLOW_MODELS } from "./flow.fixture.js";
import { exportStrict } from "./harness.fixture.js";
import { STATE_MODELS } from "./state.fixture.js";
import { compareStrict, REFUSED } from "./strict-corpus.fixture.js";
import { STRICT } from "./strict-record.fixture.js";

const MODELS = Object.entries({ ...DOCUMENT_MODELS, ...STATE_MODELS, ...FLOW_MODELS }).filter(
  ([name]) => STRICT.programs[name] !== undefined,
);

describe("strict exports of the corpus", () => {
  test.each(MODELS.filter(([name]) => !REFUSED.has(name)))(
    "%s differs from the non-strict export as PyTorch's does [S-005, S-006]",
    async (name, make) => {
      await compareStrict(name, make);
    },
  );

  test("the context manager of the documents is refused [S-005]", async () => {
    const make = DOCUMENT_MODELS["api_context_manager"]!;
    await expect(exportStrict("api_context_manager", make)).rejects.toMatchObject({
      code: "STRICT_MODE",
      message: expect.stringMatching(
        /in forward: outer-write: `inside\.count`[\s\S]*in forward: outer-write: `inside\.count`/,
      ),
    });
  });
});

class Layers extends nn.Module {
  readonly body = new nn.Sequential(new nn.Linear(3, 3), new nn.GELU(), new nn.Dropout(0.5));
  readonly bn = new nn.BatchNorm1d(3);
  readonly step = new nn.GRUCell(3, 3);

  override forward(x: Tensor): Tensor {
    const y = this.bn(this.body(x));
    return this.step(this.step(y));
  }
}

class Functions extends nn.Module {
  override forward(x: Tensor): unknown {
    let y = torch.add(x.add(1), x.relu());
    y = nn.functional.relu(torch.relu(y));
    y = nn.functional.softsign(nn.functional.gelu(y));
    const [a, b] = torch.split(y, 1) as [Tensor, Tensor];
    const [c, d] = y.chunk(2) as [Tensor, Tensor];
    const z = torch.linalg
      .vectorNorm(torch.cat([a, b, c, d]).at(0))
      .sum()
      .sum();
    const w = callOperator("aten.mul.Tensor", [z, 2]) as Tensor;
    y.setAt(0, w);
    return tuple(torch.where(torch.gt(y, 0), y.to("float64"), y.neg()), torch.zeros(2), y.softmax(-1));
  }
}

class Branches extends nn.Module {
  readonly fc = new nn.Linear(3, 3);

  override forward(x: Tensor): unknown {
    return cond(
      x.sum().gt(0),
      (y: Tensor) => this.fc(y).sin(),
      (y: Tensor) => y.cos(),
      [x],
    );
  }
}

/** The calls of a graph, and of those that it calls, as the record has them. */
function savedCalls(graph: Graph): unknown[] {
  return [...graph.nodes()].flatMap((node) => {
    if (node.op !== "call_function" || node.target === "operator.getitem") return [];
    const { sourceFnStack, nnModuleStack = [] } = node.meta;
    const functions = sourceFnStack?.map((parts) => parts.join(",")) ?? null;
    const modules = nnModuleStack.map(([key, path, type]) => [key, path, type.replace(/.*\./, "")]);
    const inner = node.args.flatMap((arg) => {
      const read = isRef(arg) ? graph.node(arg.name) : undefined;
      return read?.op === "get_attr" ? savedCalls(graph.subgraphs.get(read.target)!) : [];
    });
    return [[node.target, functions, modules], ...inner];
  });
}

test.each(Object.entries({ layers: Layers, functions: Functions, branches: Branches }))(
  "%s: nodes have the functions and modules that PyTorch notes [S-076]",
  (name, Model) => {
    const { graph } = exportProgram(new Model(), [torch.ones([2, 3]) as Tensor], { strict: true });
    expect(savedCalls(graph)).toEqual(STRICT.metadata[name]);
  },
);

describe("a strict program", () => {
  const sconce = createSconce();

  test("is the same file as a non-strict one, but for the metadata of nodes [S-006]", async () => {
    const fc = new nn.Linear(3, 2);
    const model = new nn.Sequential(fc, new nn.ReLU());
    const x = torch.ones([2, 3]) as Tensor;
    const [plain, strict] = [false, true].map((mode) => exportProgram(model, [x], { strict: mode }));
    const bare = "strip-metadata{module-stack=true}";
    const [a, b] = await Promise.all(
      [plain!, strict!].map((one) => sconce.save(sconce.transform(one, bare))),
    );
    expect(b).toEqual(a);
    expect(b).not.toEqual(await sconce.save(strict!));
    const loaded = await sconce.load(await sconce.save(strict!));
    expect(String(loaded)).toBe(String(strict));
    expect(loaded.graph.node("linear").meta.sourceFnStack).toEqual([
      ["linear", "torch.nn.modules.linear.Linear"],
    ]);
  });

  test("keeps the functions of its nodes when it is lowered [S-076]", () => {
    const model = new nn.Sequential(new nn.Linear(3, 2), new nn.ReLU());
    const strict = exportProgram(model, [torch.ones([2, 3])], { strict: true });
    const { meta } = sconce.runDecompositions(strict).graph.node("addmm");
    expect(meta.sourceFnStack).toEqual([["linear", "torch.nn.modules.linear.Linear"]]);
  });

  test("runs with other sizes, and refuses those that its guards exclude [S-005]", async () => {
    const model = (x: Tensor, y: Tensor): Tensor => x.add(y).mul(2);
    const n = Dim("n", { min: 2, max: 9 });
    const given = [torch.ones([4, 3]), torch.ones([4, 3])] as Tensor[];
    const options = { strict: true, dynamicShapes: [{ 0: Dim.AUTO }, { 0: n }] };
    const program = exportProgram(model, given, options);
    expect(program.guardsCode).toEqual(["L['flat_args'][0].size()[0] == L['flat_args'][1].size()[0]"]);
    const module = await sconce.module(program);
    const five = torch.ones([5, 3]) as Tensor;
    expect(((await module.call([five, five])) as Tensor).toArray()).toEqual(five.mul(4).toArray());
    await expect(module.call([five, given[0]])).rejects.toMatchObject({ code: "GUARD_FAILED" });
  });
});
