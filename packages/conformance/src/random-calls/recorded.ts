/** @file The files that `oracle/random_calls` writes: a program with its runs in each line. */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { contiguousStrides, type DType, dtypeInfo, Storage, Tensor } from "@sconce/tensor";
import { badUsage } from "../conformance/errors.js";

/** A result: its elements in logical order, and the strides that PyTorch gives it. */
export interface RecordedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly data: string;
}

/** An input: with all of its storage, of which it is a view. */
interface RecordedInput extends RecordedTensor {
  readonly offset: number;
}

export interface RecordedRun {
  readonly inputs: readonly RecordedInput[];
  readonly outputs?: readonly RecordedTensor[];
  /** What is in the inputs after the run. */
  readonly after?: readonly RecordedTensor[];
  /** What PyTorch says where it refuses the run; there are no results then. */
  readonly error?: string;
}

export interface RecordedProgram {
  readonly id: string;
  readonly ir: string;
  readonly runs: readonly RecordedRun[];
}

/** @throws SconceError `NO_FOLDER`, `CASE_FILE` */
export function readPrograms(path: string): RecordedProgram[] {
  if (!existsSync(path)) throw badUsage("NO_FOLDER", `there is no file ${path}`, "check the path");
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  try {
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedProgram);
  } catch (error) {
    throw badUsage(
      "CASE_FILE",
      `${path} is not a file of random calls: ${(error as Error).message}`,
      "give a file that packages/testing/oracle/random_calls wrote",
    );
  }
}

export function inputOf({ dtype, shape, strides, offset, data }: RecordedInput): Tensor {
  return new Tensor({ dtype, shape, strides, storageOffset: offset, storage: storageOf(dtype, data) });
}

export function resultOf({ dtype, shape, data }: RecordedTensor): Tensor {
  const strides = contiguousStrides(shape);
  return new Tensor({ dtype, shape, strides, storageOffset: 0, storage: storageOf(dtype, data) });
}

/** Returns the storage of elements in Base64. */
export function storageOf(dtype: DType, data: string): Storage {
  const bytes = Buffer.from(data, "base64");
  const storage = Storage.allocate(Math.max(bytes.length, dtypeInfo(dtype).itemSize));
  storage.bytes.set(bytes);
  return storage;
}
