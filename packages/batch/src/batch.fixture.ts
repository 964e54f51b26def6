/** @file Programs and shards of tests, in a separate folder. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Dim, exportProgram, nn, torch } from "@sconce/capture";
import { savePt2File } from "@sconce/session/files";
import { readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll } from "vitest";

/** A program of images to logits, with a dynamic batch dimension. */
export const DIGITS: string = fileURLToPath(
  new URL("../../testing/fixtures/programs/digits/program.pt2", import.meta.url),
);

/** Makes a folder that is removed after the tests. */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `sconce-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Saves a model of tensors of `[rows, 3]` and returns the path of its program. */
export async function saveModel(
  folder: string,
  name: string,
  model: Parameters<typeof exportProgram>[0],
  rows: number | "dynamic" = "dynamic",
  dtype: "float32" | "int64" = "float32",
): Promise<string> {
  const example = torch.ones(rows === "dynamic" ? 5 : rows, 3, { dtype });
  const options = rows === "dynamic" ? { dynamicShapes: [{ 0: Dim("batch") }] } : {};
  const path = join(folder, `${name}.pt2`);
  await savePt2File(exportProgram(model, [example], options), path);
  return path;
}

/** `x * 2 + 1` of each element. */
export class Affine extends nn.Module {
  override forward(x: ReturnType<typeof torch.ones>): unknown {
    return x.mul(2).add(1);
  }
}

/** Rows of three numbers that differ from shard to shard. */
export function rowsOf(rows: number, seed: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: rows * 3 }, (_, i) => ((i * 7 + seed * 13) % 31) / 8 - 1);
}

/** Writes shards `s000.safetensors`, ... of a column `x`, and returns their folder. */
export function writeShards(folder: string, counts: readonly number[]): string {
  const place = join(folder, "shards");
  mkdirSync(place, { recursive: true });
  counts.forEach((rows, i) => {
    const x = Tensor.fromData(rowsOf(rows, i), "float32", [rows, 3]);
    writeFileSync(
      join(place, `s${String(i).padStart(3, "0")}.safetensors`),
      writeSafetensors(new Map([["x", x]])),
    );
  });
  return place;
}

/** Reads the tensors of a safetensors file. */
export const tensorsIn = (path: string): ReadonlyMap<string, Tensor> =>
  readSafetensors(readFileSync(path)).tensors;

/** Returns what {@link Affine} gives for {@link rowsOf}, in float32. */
export const affineOf = (rows: Float32Array): number[] =>
  Array.from(rows, (value) => Math.fround(value * 2 + 1));
