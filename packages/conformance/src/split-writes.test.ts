/** @file Writes to the parts of tensors that are divided into many: what each backend gives. */

import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { exportProgram, nn, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import { Tensor, type Tensor as Traced } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({ backends: [wasmBackend(), gpujsBackend({ mode: "cpu" })] });
const ROWS = 40;

type Parts = (y: Traced) => readonly Traced[];
const PARTS: Readonly<Record<string, Parts>> = {
  split: (y) => torch.split(y, 2),
  "split by sizes": (y) => torch.split(y, [0, ...Array.from({ length: 19 }, () => 2), 1, 1]),
  chunk: (y) => torch.chunk(y, 20),
  unbind: (y) => torch.unbind(y),
  "tensor split": (y) => torch.tensorSplit(y, 20),
  "split of columns": (y) => torch.split(torch.t(torch.t(y).contiguous()), 2),
};

/** Adds another number to each part. Parts of a copy leave the tensor as it is. */
class Writes extends nn.Module {
  readonly parts: Parts;
  constructor(parts: Parts) {
    super();
    this.parts = parts;
  }
  override forward(x: Traced): readonly Traced[] {
    const y = torch.mul(x, 1);
    const parts = this.parts(y);
    parts.forEach((part, at) => void part.add_(at + 1));
    return [y, parts[1]!.mul(2), parts.at(-1)!.mul(3)];
  }
}

const input = (): Tensor =>
  Tensor.from(
    Array.from({ length: 3 * ROWS }, (_, i) => i),
    [ROWS, 3],
    "float32",
  );

describe.each(Object.entries(PARTS))("%s", (_, parts) => {
  const program = exportProgram(new Writes(parts), [input()]);
  test.each(["wasm", "gpujs"])("%s gives what the interpreter gives", async (backend) => {
    const run = async (name: string): Promise<unknown[]> => {
      const results = await (await session.compile(program, name)).run([input()]);
      return results.map((value) => {
        const { shape, strides } = value as Tensor;
        return { shape, strides, values: (value as Tensor).toArray() };
      });
    };
    expect(await run(backend)).toEqual(await run("cpu"));
  });
});

test("each part gets its own number", async () => {
  const program = exportProgram(new Writes(PARTS["split"]!), [input()]);
  const [y] = await (await session.compile(program, "wasm")).run([input()]);
  const wanted = Array.from({ length: 3 * ROWS }, (_, i) => i + Math.floor(i / 6) + 1);
  expect((y as Tensor).toArray().flat()).toEqual(wanted);
});
