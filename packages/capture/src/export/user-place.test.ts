import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isSconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { cond, nn, torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { exportProgram } from "./export-program.js";

class Linear extends nn.Module {
  readonly fc = new nn.Linear(5, 2);
  override forward(x: Tensor): Tensor {
    return this.fc(x); // here
  }
}
class Lookup extends nn.Module {
  readonly table = new nn.Embedding(5, 2);
  override forward(x: Tensor): Tensor {
    const rows = x.relu();
    return this.table(rows); // here
  }
}
class Stack extends nn.Module {
  readonly layers = new nn.Sequential(new nn.ReLU(), new nn.Sequential(new nn.ReLU(), new nn.Linear(5, 2)));
  override forward(x: Tensor): Tensor {
    return this.layers(x); // here
  }
}
class Outer extends nn.Module {
  readonly inner = new Linear();
  override forward(x: Tensor): Tensor {
    return this.inner(x);
  }
}
class Branches extends nn.Module {
  readonly norm = new nn.BatchNorm1d(4);
  override forward(x: Tensor): Tensor {
    return cond(
      x.sum().gt(0),
      (value: Tensor) => this.norm(value), // here
      (value: Tensor) => value.sin(),
      [x],
    );
  }
}
class Attention extends nn.Module {
  readonly block = new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, dropout: 0 });
  override forward(x: Tensor): Tensor {
    return this.block(x); // here
  }
}
class Own extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.relu().matmul(x); // here
  }
}

/** The lines of this file with the mark, by the names of the classes around them. */
function markedLines(): Map<string, number> {
  const lines = new Map<string, number>();
  let name = "";
  for (const [i, line] of readFileSync(fileURLToPath(import.meta.url), "utf8")
    .split("\n")
    .entries()) {
    name = /^class (\w+)/.exec(line)?.[1] ?? name;
    if (line.endsWith("// here")) lines.set(name, i + 1);
  }
  return lines;
}

test.each([
  ["a layer", Linear, [2, 16], "in fc (Linear)"],
  ["a layer of indices", Lookup, [2], "in table (Embedding)"],
  ["a sequence in a sequence", Stack, [2, 16], "in layers.1.1 (Linear)"],
  ["a model in a model", Outer, [2, 16], "in inner.fc (Linear)"],
  ["a branch", Branches, [2, 4], ""],
  ["a layer of layers", Attention, [3, 2, 9], "in block.self_attn (MultiheadAttention)"],
  ["the model itself", Own, [2, 3], ""],
])("an error in %s names the user's line", (_, Model, shape, layer) => {
  let place: unknown;
  try {
    exportProgram(new Model(), [torch.zeros(...shape)]);
  } catch (error) {
    place = isSconceError(error) ? error.where : error;
  }
  const name = Model === Outer ? "Linear" : Model.name;
  expect(place).toContain(`user-place.test.ts:${markedLines().get(name)}`);
  if (layer === "") expect(place).not.toContain(", in ");
  else expect(place).toContain(layer);
});
