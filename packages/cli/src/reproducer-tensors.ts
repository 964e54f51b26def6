/**
 * @file Tensors of a reproducer as lines of text: storages in base64, and views on them as JSON.
 */
import { type Budget, parsePlainJson, type SconceError } from "@sconce/errors";
import { type DType, dtypeInfo, isDType, Storage, Tensor } from "@sconce/tensor";

export const storageLine = ({ bytes }: Storage): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** Returns a tensor as one line; its storage is numbered among those that the file has. */
export function tensorEntry(name: string, tensor: Tensor, storages: Map<Storage, number>): string {
  const { storage, dtype, shape, strides, storageOffset: offset, requiresGrad } = tensor;
  if (!storages.has(storage)) storages.set(storage, storages.size);
  const entry = { name, storage: storages.get(storage), dtype, shape, strides, offset };
  return JSON.stringify(requiresGrad ? { ...entry, requiresGrad } : entry);
}

type Malformed = (why: string, cause?: unknown) => SconceError;

/** Tensors on the storages of a file. */
export class StorageReader {
  readonly #storages: readonly Storage[];
  readonly #malformed: Malformed;
  readonly #budget: Budget;

  constructor(lines: readonly string[], budget: Budget, malformed: Malformed) {
    this.#malformed = malformed;
    this.#budget = budget;
    this.#storages = lines.map((line, i) => {
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(line)) throw malformed(`has a storage ${i} that is not base64`);
      budget.spend("nodes", 1, () => `storage ${i}`);
      budget.spend("bytes", line.length, () => `storage ${i}`);
      // A separate buffer: the decoder's may lie anywhere in a larger one.
      return new Storage(Uint8Array.from(Buffer.from(line, "base64")));
    });
  }

  /** @throws SconceError `REPRODUCER` for entries that are not tensors on the storages */
  tensors(lines: readonly string[]): Map<string, Tensor> {
    const tensors = new Map<string, Tensor>();
    for (const line of lines) {
      if (line.trim() === "") continue;
      const { name, tensor } = this.#tensor(line);
      if (tensors.has(name)) throw this.#malformed(`has two tensors "${name}"`);
      tensors.set(name, tensor);
    }
    return tensors;
  }

  #tensor(line: string): { readonly name: string; readonly tensor: Tensor } {
    const entry = Object(
      parsePlainJson(line, {
        budget: this.#budget,
        depth: 4,
        fail: (message, _, cause) =>
          this.#malformed(`has a tensor ${line.slice(0, 80)} that cannot be read: ${message}`, cause),
      }),
    ) as Readonly<Record<string, unknown>>;
    const { name, storage, dtype, shape, strides, offset, requiresGrad = false } = entry;
    const bytes = typeof storage === "number" ? this.#storages[storage] : undefined;
    if (
      typeof name !== "string" ||
      !isDType(dtype) ||
      !isSizes(shape) ||
      !isSizes(strides) ||
      !isSizes([offset])
    )
      throw this.#malformed(`has a tensor that cannot be read: ${line.slice(0, 80)}`);
    if (
      bytes === undefined ||
      shape.length !== strides.length ||
      !fits(bytes, dtype, shape, strides, Number(offset))
    )
      throw this.#malformed(`has a tensor "${name}" that is not within its storage`);
    const init = { dtype, shape, strides, storageOffset: Number(offset), storage: bytes };
    return { name, tensor: new Tensor({ ...init, requiresGrad: requiresGrad === true }) };
  }
}

const isSizes = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && (size as number) >= 0);

function fits(
  { byteLength }: Storage,
  dtype: DType,
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
): boolean {
  if (shape.includes(0)) return true;
  const last = shape.reduce((at, size, d) => at + (size - 1) * strides[d]!, offset);
  return (last + 1) * dtypeInfo(dtype).itemSize <= byteLength;
}
