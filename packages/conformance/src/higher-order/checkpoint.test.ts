/** @file Checkpoints of TypeScript beside the programs of `oracle/higher_order.py`. */
import { Dim, type ExportOptions, exportProgram, nn, torch } from "@sconce/capture";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { comparable } from "../capture/retraced.fixture.js";
import { fixtureJson } from "../fixtures.js";
import { values } from "./values.fixture.js";

const CASES = fixtureJson("higher-order/programs.json.gz") as Readonly<
  Record<string, { readonly text: string; readonly lowered: string }>
>;

class Model extends nn.Module {
  readonly weight = new nn.Parameter(values([4, 4], 3));
}

class WithContexts extends Model {
  override forward(a: Tensor): Tensor {
    return torch.checkpoint((x, y) => x.matmul(this.weight).relu().sin().add(y), a, a.mul(2));
  }
}

class OfSeveral extends Model {
  override forward(a: Tensor): Tensor {
    const first = torch.checkpoint((x): [Tensor, Tensor] => [x.cos(), x.matmul(this.weight)], a);
    return torch.checkpoint((x, y) => x.mul(y), ...first).sum();
  }
}

class OfDynamic extends Model {
  override forward(a: Tensor): Tensor {
    return torch.checkpoint((x) => x.matmul(this.weight).relu(), a).add(a.size(0));
  }
}

class Inlined extends Model {
  override forward(a: Tensor): Tensor {
    return torch.checkpoint((x) => x.matmul(this.weight).relu().sin(), a);
  }
}

const rows: ExportOptions = { dynamicShapes: { a: { 0: Dim("n") } }, strict: true };
test.each([
  ["checkpoint_with_contexts", new WithContexts(), { strict: true }],
  ["checkpoint_of_several", new OfSeveral(), { strict: true }],
  ["checkpoint_dynamic", new OfDynamic(), rows],
  ["checkpoint_inlined", new Inlined(), {}],
] as const)("%s has PyTorch's text", (name, model, options) => {
  const program = exportProgram(model, [values([4, 4])], options);
  const { text, lowered } = CASES[name]!;
  // Symbols of strict exports have other names after a file was loaded.
  const plain = (shown: string): string => comparable(shown).replaceAll(/\bs\d+\b/g, "s0");
  expect(plain(String(program))).toBe(plain(text));
  expect(plain(String(runDecompositions(program)))).toBe(plain(lowered));
});
