import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { castTensor, createSconce, readSafetensors, type Tensor } from "sconce";
import { openPt2File } from "sconce/node";
import { backendSpec, describeBackends } from "sconce/testing/vitest";
import "sconce/testing/vitest";
import { describe, expect, test } from "vitest";
import { KERNELS } from "./kernels.js";
import { smallBackend } from "./small-backend.js";

const { resolve } = createRequire(import.meta.url);
const small = smallBackend();
const session = createSconce({ backends: [small] });
const program = await openPt2File(resolve("sconce/examples/digits.pt2"));
const { tensors } = readSafetensors(await readFile(resolve("sconce/examples/digits-images.safetensors")));

/** The first images, and PyTorch's logits for them. */
const COUNT = 4;
const first = (tensor: Tensor): Tensor =>
  tensor.asStrided([COUNT, ...tensor.shape.slice(1)], tensor.strides, tensor.storageOffset);
const images = castTensor(first(tensors.get("images")!), "float32");
const logits = first(tensors.get("logits")!);

describeBackends(
  ["cpu", "small"],
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

describe("the small backend", () => {
  const lowered = session.runDecompositions(program);

  test("runs the classifier with its own kernels", async () => {
    const module = await session.module(lowered, { backend: "small" });
    expect(await module.call([images])).toBeCloseToTensor(logits, { rtol: 1e-4, atol: 1e-4 });
  });

  test("lists the nodes that it has no kernel for, before anything runs", async () => {
    const { "aten.max_pool2d_with_indices.default": _, ...fewer } = KERNELS;
    await expect(session.compile(lowered, smallBackend(fewer))).rejects.toMatchObject({
      code: "UNSUPPORTED_NODES",
      message:
        'the backend "small" does not run 2 nodes of the program: ' +
        "%max_pool2d_with_indices (aten.max_pool2d_with_indices.default): no kernel for aten.max_pool2d_with_indices.default; " +
        "%max_pool2d_with_indices_1 (aten.max_pool2d_with_indices.default): no kernel for aten.max_pool2d_with_indices.default",
    });
  });

  test("a kernel that returns another shape is found", async () => {
    const wrong = smallBackend({ ...KERNELS, "aten.addmm.default": (bias) => bias as Tensor });
    const executable = await session.compile(lowered, wrong);
    await expect(executable.run([images])).rejects.toMatchObject({
      code: "BACKEND_OUTPUT",
      where: expect.stringMatching(/^output 0, node "addmm_1" \(aten\.addmm\.default\), .*digits\.py:32$/),
    });
  });

  test("can be the one that a session runs everything on", async () => {
    const only = createSconce({ services: { backends: [small] } });
    const module = await only.module(lowered);
    expect(await module.call([images])).toBeCloseToTensor(logits, { rtol: 1e-4, atol: 1e-4 });
  });
});

// What every backend must do, as the project's own are tested. Programs with operators that the
// small backend has no kernel for are skipped: their titles name the operators, and the run lists
// them.
backendSpec(small);
