import { readFileSync } from "node:fs";
import { Dim, exportProgram, nn, torch } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { PROGRAMS } from "../fixtures.js";

const sconce = createSconce();
const fixture = (name: string): Uint8Array => readFileSync(`${PROGRAMS}${name}/program.pt2`);

/** The program as it comes back from each format. */
async function copies(program: ExportedProgram): Promise<ExportedProgram[]> {
  const bytes = await sconce.save(program);
  return [
    await sconce.load(bytes),
    await sconce.load(bytes, { weights: "lazy" }),
    parseIr(printIr(program), { tensors: tensorsOf(program) }),
  ];
}

async function expectSame(program: ExportedProgram): Promise<void> {
  const hash = await program.hash();
  for (const copy of await copies(program)) expect(await copy.hash()).toEqual(hash);
}

class Net extends nn.Module {
  readonly body = new nn.Sequential(new nn.Conv2d(2, 3, 3), new nn.BatchNorm2d(3), new nn.ReLU());
  readonly head = new nn.Linear(3, 2);
  readonly tied = this.head;

  override forward(x: Tensor): Record<string, Tensor> {
    const pooled = this.body(x).mean([2, 3]);
    const [best] = this.tied(pooled).sort();
    return { logits: this.head(pooled), best: best! };
  }
}

describe("the hash of a program is that of its copies", () => {
  // Control flow, unused results, names, strides, trees, shared storage, scalars, data-dependent
  // sizes.
  test.each([
    "net_gpt",
    "flow_scan",
    "flow_cond_tree",
    "ops_norms",
    "text_names",
    "text_strides",
    "tree_namedtuple",
    "lifted_shared_storage",
    "lower_cond_sizes",
    "shape_int_input",
    "unbacked_split",
    "net_quantized_decomposed",
  ])("%s, as exported and lowered", async (name) => {
    const program = await sconce.load(fixture(name));
    const lowered = sconce.runDecompositions(program);
    await expectSame(program);
    await expectSame(lowered);
    expect((await lowered.hash()).graph).not.toBe((await program.hash()).graph);
  });

  test("of a model in TypeScript, as exported and lowered", async () => {
    const program = exportProgram(new Net(), [torch.randn(2, 2, 8, 8)], {
      dynamicShapes: [{ 0: new Dim("batch") }],
    });
    await expectSame(program);
    await expectSame(sconce.runDecompositions(program));
  });

  test("two exports of one model are one program, and other weights another", async () => {
    const args = [torch.ones(2, 2, 8, 8)];
    const model = new Net().eval();
    const [first, again] = [exportProgram(model, args), exportProgram(model, args)];
    expect(await again.hash()).toEqual(await first.hash());
    const other = await exportProgram(new Net().eval(), args).hash();
    const { graph, weights } = await first.hash();
    expect([other.graph === graph, other.weights === weights]).toEqual([true, false]);
  });
});
