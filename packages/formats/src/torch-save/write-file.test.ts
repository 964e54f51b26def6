import { createHash } from "node:crypto";
import { type DType, Storage, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { joinPieces } from "../zip/write.js";
import { torchFilePieces } from "./write-file.js";
import { PyCall, PyDict, PyFloat, PyGlobal, PyTuple, type PyValue } from "./write-pickle.js";

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const pairs = (count: number): [number, number][] => range(count).map((i) => [i, i]);
const collection = (name: string, args: readonly PyValue[], content: object = {}): PyCall =>
  new PyCall(new PyGlobal("collections", name), args, content);
const factory = (name: string): PyGlobal => new PyGlobal("__builtin__", name);

const storage = Tensor.from([0, 1, 2, 3, 4, 5], [6], "float32");
const view = (shape: number[], strides: number[], storageOffset: number): Tensor =>
  new Tensor({ dtype: "float32", shape, strides, storageOffset, storage: storage.storage });
const counted = (count: number, dtype: DType): Tensor => Tensor.from(range(count), [count], dtype);

/** SHA-256 and length of what `torch.save(value, protocol 2)` of PyTorch 2.14 writes. */
const SAVED: readonly (readonly [string, PyValue, string, number])[] = [
  [
    "numbers",
    new PyTuple([
      ...[0, 255, 256, 65535, 65536, 2 ** 31 - 1, 2 ** 31, -1, -(2 ** 31), -(2 ** 31) - 1],
      ...[2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n, 127n * 2n ** 56n, 128n * 2n ** 56n],
      ...[1.5, -0, Number.POSITIVE_INFINITY, 1e300].map((value) => new PyFloat(value)),
      ...[true, false, null],
    ]),
    "73bfcd54885d7fd75c74f5236aa8e7b824aaf66ba940f63ec02ad89137dd95d6",
    1389,
  ],
  [
    "texts",
    new PyTuple(["", "a", "\u00e9\u4e2d\u{1f600}", "a", ["a", "b"]]),
    "d39a795ada060c53cfff75bb1f00d97be18e472bb2e077baa0aeb459185e4dca",
    1261,
  ],
  [
    "lists, in batches of 1000",
    new PyTuple([[], [1], ...[999, 1000, 1001, 2001].map(range)]),
    "377b5b6bdb658eb812b8a5063fdb634d4ba97914f382a0a1812e6b79311b6455",
    15277,
  ],
  [
    "dicts, in batches of 1000",
    new PyTuple([
      new PyDict([]),
      new PyDict([["a", 1]]),
      ...[999, 1000, 1001].map((count) => new PyDict(pairs(count))),
    ]),
    "fa061dfb97e03ab7b71133fbf9f1247a655dcfb8e77f60814d99d1abc8d6166b",
    17773,
  ],
  [
    "other containers",
    new PyTuple([
      collection("OrderedDict", []),
      collection("OrderedDict", [], { entries: [["a", 1]] }),
      collection("OrderedDict", [], { entries: pairs(1001) }),
      collection("deque", []),
      collection("deque", [], { items: [1] }),
      collection("deque", [new PyTuple([]), 2000], { items: range(1001) }),
      collection("defaultdict", [factory("list")], { entries: [["a", [1]]] }),
      collection("defaultdict", [factory("long")]),
      collection("defaultdict", [], { entries: [["b", 2]] }),
      new PyCall(new PyGlobal("torch", "Size"), [new PyTuple([2, 3])]),
    ]),
    "e8115eb9a8b54c858e29fb3d63cafe512773d6dc439186fd6efc7460683d85be",
    9709,
  ],
  [
    "tensors, their views and repeats",
    new PyTuple([
      ...[storage, view([3], [1], 1), storage, view([3, 2], [1, 3], 0)],
      ...[counted(3, "int8"), counted(2, "float8_e5m2"), counted(2, "uint16"), counted(0, "float32")],
      new Tensor({ dtype: "float32", shape: [], storage: new Storage(new Uint8Array(4)) }),
      Tensor.withoutValues({ dtype: "float32", shape: [2, 3] }),
    ]),
    "b4a8b76b54f58c90341d907c4087848c56f97859c388d0e4bdf715da82b21119",
    2965,
  ],
  [
    "more than 256 values to refer to",
    range(300).map((i) => String(i).repeat(2)),
    "790d4a77ddf5d2816a5e22d550faf1313ae642ceca826a724d5f8aa9981b95bf",
    5037,
  ],
];

test.each(SAVED)("%s are saved byte for byte as torch.save saves them", (_, value, hash, length) => {
  const bytes = joinPieces(torchFilePieces(value));
  expect(bytes.length).toBe(length);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(hash);
});
