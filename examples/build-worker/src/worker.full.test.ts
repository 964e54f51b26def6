import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSafetensors, type Tensor } from "sconce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findWorkerd, type Served, serve } from "./workerd.fixture.js";
import { writeWorker } from "./write-worker.js";

const workerd = findWorkerd();
const title = "a worker that runs a built module";
const skipped = "skipped: SCONCE_WORKERD names no folder with the package workerd";

describe.skipIf(workerd === undefined)(workerd === undefined ? `${title} (${skipped})` : title, () => {
  const folder = mkdtempSync(join(tmpdir(), "sconce-build-worker-"));
  let served: Served;
  beforeAll(async () => {
    await writeWorker(folder);
    served = await serve(workerd!, join(folder, "config.capnp"));
  }, 120_000);
  afterAll(async () => {
    await served?.close();
    rmSync(folder, { recursive: true });
  });

  const images = fileURLToPath(import.meta.resolve("sconce/examples/digits-images.safetensors"));
  const { tensors } = readSafetensors(readFileSync(images));
  const values = (name: string, at: number, count: number): number[] => {
    const { storage, dtype, storageOffset } = tensors.get(name) as Tensor;
    const all = storage.view(dtype) as Uint8Array | Float32Array;
    return Array.from(all.subarray(storageOffset + at * count, storageOffset + (at + 1) * count));
  };

  test("answers images with the scores of PyTorch", async () => {
    for (const at of [0, 1, 2]) {
      const body = new Uint8Array(values("images", at, 64));
      const response = await fetch(served.address, { method: "POST", body });
      const { scores } = (await response.json()) as { readonly scores: readonly number[] };
      values("logits", at, 10).forEach((logit, digit) => {
        expect(scores[digit]).toBeCloseTo(logit, 3);
      });
    }
    expect(served.log()).toBe("");
  });

  test("answers what the program does not take with its reason", async () => {
    const response = await fetch(served.address, { method: "POST", body: new Uint8Array(10) });
    expect(response.status).toBe(400);
    expect((await response.json()) as unknown).toEqual({ error: expect.stringMatching(/^INPUT_ARRAY/) });
  });
});
