/** @file Complex numbers and their parts. */
import { FakeTensor, type IntLike } from "@sconce/ir";
import { floorDiv, mul } from "@sconce/symbolic";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { elementwise } from "../rules/elementwise.js";
import { aliasOf } from "../rules/fake.js";
import { toComplexDType, toRealDType } from "../rules/promote.js";

type PairSchema = "aten::complex(Tensor real, Tensor imag) -> Tensor";

/** `complex` and `polar` take two float tensors of one dtype. */
const pair = (name: string, first: string, second: string): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor ${first}, Tensor ${second}) -> Tensor` as PairSchema,
    meta: (bound, context) => {
      const args = bound as unknown as Readonly<Record<string, FakeTensor>>;
      const [a, b] = [args[first]!, args[second]!];
      for (const { dtype } of [a, b]) {
        if (dtype !== "float64" && dtype !== "float32" && dtype !== "float16") {
          throw dtypeMismatch(
            `Expected both inputs to be Half, Float or Double tensors but got ${a.dtype} and ${b.dtype}`,
          );
        }
      }
      if (a.dtype !== b.dtype) {
        throw dtypeMismatch(
          `Expected object of scalar type ${a.dtype} but got scalar type ${b.dtype} for second argument`,
        );
      }
      return elementwise(context, [a, b], { dtype: toComplexDType(a.dtype) });
    },
  });

const viewAsReal = defineOp({
  schema: "aten::view_as_real(Tensor(a) self) -> Tensor(a)",
  meta: ({ self }) => {
    if (!isComplexDType(self.dtype))
      throw dtypeMismatch("view_as_real is only supported for complex tensors");
    return new FakeTensor({
      dtype: toRealDType(self.dtype),
      shape: [...self.shape, 2],
      strides: [...self.strides.map((stride) => mul(stride, 2)), 1],
      storageOffset: mul(self.storageOffset, 2),
      device: self.device,
    });
  },
});

const viewAsComplex = defineOp({
  schema: "aten::view_as_complex(Tensor(a) self) -> Tensor(a)",
  meta: ({ self }) => {
    const last = self.ndim - 1;
    if (
      isComplexDType(self.dtype) ||
      (toComplexDType(self.dtype) === "complex64" && self.dtype !== "float32")
    ) {
      throw dtypeMismatch(
        `view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: ${self.dtype}`,
      );
    }
    if (last < 0) throw invalidArgument("Input tensor must have one or more dimensions");
    if (self.shape[last] !== 2) throw invalidArgument("Tensor must have a last dimension of size 2");
    if (self.strides[last] !== 1) throw invalidArgument("Tensor must have a last dimension with stride 1");
    if (self.strides.slice(0, last).some((stride) => typeof stride === "number" && stride % 2 !== 0)) {
      throw invalidArgument("Tensor must have a stride divisible by 2 for all but last dimension");
    }
    return new FakeTensor({
      dtype: toComplexDType(self.dtype),
      shape: self.shape.slice(0, last),
      strides: self.strides.slice(0, last).map(half),
      storageOffset: half(self.storageOffset),
      device: self.device,
    });
  },
});

const half = (value: IntLike): IntLike => floorDiv(value, 2);

type ViewSchema = "aten::real(Tensor(a) self) -> Tensor(a)";
const part = (name: "real" | "imag", index: 0 | 1): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor(a) self) -> Tensor(a)` as ViewSchema,
    tags: ["composite"],
    meta: ({ self }) => {
      if (!isComplexDType(self.dtype)) {
        if (name === "real") return self;
        throw dtypeMismatch("imag is not implemented for tensors with non-complex dtypes.");
      }
      return new FakeTensor({
        dtype: toRealDType(self.dtype),
        shape: self.shape,
        strides: self.strides.map((stride) => mul(stride, 2)),
        storageOffset:
          typeof self.storageOffset === "number" ? 2 * self.storageOffset + index : self.storageOffset,
        device: self.device,
      });
    },
    decompose: (emit, { self }) => {
      if (!isComplexDType(self.dtype)) {
        if (name === "real") return self;
        throw dtypeMismatch("imag is not implemented for tensors with non-complex dtypes.");
      }
      const isConjugated = emit.isConjugated?.(self) === true;
      const parts = emit("aten.view_as_real.default", [
        isConjugated ? emit("aten._conj.default", [self]) : self,
      ]);
      const signed = isConjugated && name === "imag" ? emit("aten._neg_view.default", [parts]) : parts;
      return emit("aten.select.int", [signed, self.ndim, index]);
    },
  });

export const complexOps: readonly OpDefinition[] = [
  pair("complex", "real", "imag"),
  pair("polar", "abs", "angle"),
  viewAsReal,
  viewAsComplex,
  part("real", 0),
  part("imag", 1),
  defineOp({
    schema: "aten::_conj(Tensor(a) self) -> Tensor(a)",
    meta: ({ self }) => {
      if (!isComplexDType(self.dtype))
        throw dtypeMismatch(`_conj expects a complex tensor, got ${self.dtype}`);
      return aliasOf(self);
    },
  }),
  defineOp({ schema: "aten::_neg_view(Tensor(a) self) -> Tensor(a)", meta: ({ self }) => aliasOf(self) }),
  defineOp({
    schema: "aten::conj(Tensor(a) self) -> Tensor(a)",
    tags: ["composite"],
    meta: ({ self }) => (isComplexDType(self.dtype) ? aliasOf(self) : self),
    decompose: (emit, { self }) => (isComplexDType(self.dtype) ? emit("aten._conj.default", [self]) : self),
  }),
  ...["conj", "neg"].map((bit) =>
    defineOp({
      schema: `aten::resolve_${bit}(Tensor(a) self) -> Tensor(a)` as ViewSchema,
      tags: ["composite"],
      doc: "Tensors have no pending conjugation or negation here, so that this is the tensor itself.",
      meta: ({ self }) => self,
      decompose: (_emit, { self }) => self,
    }),
  ),
  ...["_conj_physical"].map((name) =>
    defineOp({
      schema: `aten::${name}(Tensor self) -> Tensor` as "aten::x(Tensor self) -> Tensor",
      tags: ["pointwise"],
      meta: ({ self }, context) => elementwise(context, [self]),
    }),
  ),
];
