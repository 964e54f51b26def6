import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openPt2File } from "@sconce/formats/node";
import { castTensor, readSafetensors, type Tensor } from "@sconce/tensor";
import "@sconce/testing/vitest";
import { backendSpec, describeBackends } from "@sconce/testing/vitest";
import { BACKENDS, cpuBackend, createSconce } from "sconce";
import { describe, expect, test } from "vitest";
import { loggingBackend } from "./logging-backend.js";

const DATA = new URL("../../digits/data/", import.meta.url);
const lines: string[] = [];
const logging = loggingBackend(cpuBackend(), (line) => lines.push(line));
const session = createSconce({ backends: [logging] });
const program = await openPt2File(fileURLToPath(new URL("program.pt2", DATA)));
const { tensors } = readSafetensors(await readFile(new URL("digits_test.safetensors", DATA)));

/** The first images, and PyTorch's logits for them. */
const COUNT = 4;
const first = (tensor: Tensor): Tensor =>
  tensor.asStrided([COUNT, ...tensor.shape.slice(1)], tensor.strides, tensor.storageOffset);
const images = castTensor(first(tensors.get("images")!), "float32");
const logits = first(tensors.get("logits")!);

describeBackends(
  ["cpu", "logging"],
  ({ testProgram }) => {
    testProgram("the digit classifier gives PyTorch's logits", program, async (executable) => {
      const [result] = await executable.run([images]);
      expect(result).toBeCloseToTensor(logits, { rtol: 1e-4, atol: 1e-4 });
    });
    testProgram("lowered, it does so too", session.runDecompositions(program), async (executable) => {
      const [result] = await executable.run([images]);
      expect(result).toBeCloseToTensor(logits, { rtol: 1e-4, atol: 1e-4 });
    });
  },
  { session },
);

describe("the logging backend", () => {
  test("writes down what runs", async () => {
    lines.length = 0;
    const module = await session.module(program, { backend: "logging" });
    await module.call([images]);
    expect(lines[0]).toBe("compiles 32 nodes");
    expect(lines[1]).toMatch(/^1\/\d+ %/);
    expect(lines.at(-1)).toMatch(/%linear_1 = aten\.linear\.default$/);
  });

  test("can be the one that a session runs everything on", async () => {
    const only = createSconce({
      configure: (container) => container.register(BACKENDS, { useValue: [logging] }),
    });
    lines.length = 0;
    const module = await only.module(program);
    expect(await module.call([images])).toBeCloseToTensor(logits, { rtol: 1e-4, atol: 1e-4 });
    expect(lines.length).toBeGreaterThan(10);
  });
});

// What every backend must do, as the project's own are tested.
backendSpec(logging);
