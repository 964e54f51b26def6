/** @file NumPy's `.npy` files: a magic number, a header that is a Python dict, the elements. */
import { Budget, type WorkOptions } from "@sconce/errors";
import { contiguousStrides, type DType, dtypeInfo, numel, Storage, Tensor } from "@sconce/tensor";
import { malformedNpy } from "./input-errors.js";

const MAGIC = "\x93NUMPY";
const DTYPES: Readonly<Record<string, DType>> = {
  "|b1": "bool",
  "|i1": "int8",
  "|u1": "uint8",
  "<i2": "int16",
  "<i4": "int32",
  "<i8": "int64",
  "<u2": "uint16",
  "<u4": "uint32",
  "<u8": "uint64",
  "<f2": "float16",
  "<f4": "float32",
  "<f8": "float64",
  "<c8": "complex64",
  "<c16": "complex128",
};

/** Reads an array of numbers. @throws SconceError `NPY`, `BUDGET_EXCEEDED` */
export function readNpy(bytes: Uint8Array, options: WorkOptions = {}): Tensor {
  const budget = Budget.of(options, bytes.length);
  const latin = (start: number, end: number): string =>
    String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 65_536)));
  if (latin(0, 6) !== MAGIC) throw malformedNpy("it does not begin with the mark of .npy files");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isOld = bytes[6] === 1;
  const start = isOld ? 10 : 12;
  if (bytes.length < start) throw malformedNpy("its header is cut off");
  const end = start + (isOld ? view.getUint16(8, true) : view.getUint32(8, true));
  if (end > bytes.length) throw malformedNpy("its header is cut off");
  budget.spend("nodes", 1 + (end - start) / 8, () => "the header");
  budget.spend("bytes", bytes.length, () => "the elements");
  return tensorOf(latin(start, end), bytes.subarray(end));
}

function tensorOf(header: string, data: Uint8Array): Tensor {
  const descr = /'descr': *'([^']*)'/.exec(header)?.[1];
  const isFortran = /'fortran_order': *True/.test(header);
  const sizes = /'shape': *\(([\d, ]*)\)/.exec(header)?.[1];
  if (descr === undefined || sizes === undefined) throw malformedNpy("its header has no dtype or no shape");
  const dtype = Object.hasOwn(DTYPES, descr) ? DTYPES[descr] : undefined;
  if (dtype === undefined)
    throw malformedNpy(
      `its elements are "${descr}"; the supported ones are ${Object.keys(DTYPES).join(", ")}`,
    );
  const shape = sizes.split(",").flatMap((size) => (size.trim() === "" ? [] : [Number(size)]));
  const needed = numel(shape) * dtypeInfo(dtype).itemSize;
  if (data.length !== needed) throw malformedNpy(`it has ${data.length} bytes of elements, not ${needed}`);
  const storage = new Storage(new Uint8Array(data));
  const strides = isFortran ? contiguousStrides(shape.toReversed()).reverse() : contiguousStrides(shape);
  return new Tensor({ dtype, shape, strides, storage });
}
