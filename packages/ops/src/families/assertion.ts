/** @file Checks made at run time. They have no result; dead-code elimination keeps them. */
import type { MetaValue } from "@sconce/ir";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import { dtypeMismatch } from "../rows/errors.js";
import { rowMajorLike } from "../rules/fake.js";
import { created, OPTIONS } from "../rules/options.js";

const EFFECT: readonly OpTag[] = ["effect"];
const nothing = (): MetaValue => null;

export const assertionOps: readonly OpDefinition[] = [
  defineOp({ schema: "aten::_assert_async(Tensor self) -> ()", tags: EFFECT, meta: nothing }),
  defineOp({
    schema: "aten::_assert_async.msg(Tensor self, str assert_msg) -> ()",
    tags: EFFECT,
    meta: nothing,
  }),
  defineOp({
    schema: "aten::_functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor",
    doc: "An assertion that gives a token, by which later ones are kept behind it.",
    tags: EFFECT,
    meta: ({ dep_token: token }) => rowMajorLike(token),
  }),
  defineOp({
    schema: "aten::_functional_assert_scalar(Scalar self, str assert_msg, Tensor dep_token) -> Tensor",
    doc: "An assertion that gives a token, by which later ones are kept behind it.",
    tags: EFFECT,
    meta: ({ dep_token: token }) => rowMajorLike(token),
  }),
  ...["_functional_sym_constrain_range", "_functional_sym_constrain_range_for_size"].map((name) =>
    defineOp({
      schema:
        `aten::${name}(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor` as "aten::x(Scalar size, int? min, int? max, Tensor dep_token) -> Tensor",
      tags: EFFECT,
      meta: ({ dep_token: token }) => rowMajorLike(token),
    }),
  ),
  defineOp({
    schema: `aten::_make_dep_token(*, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor`,
    doc: "The first token of a chain of assertions.",
    meta: (options) => created([], "float32", options),
  }),
  defineOp({ schema: "aten::_print(str s) -> ()", tags: EFFECT, meta: nothing }),
  defineOp({
    schema: "aten::_assert_scalar(Scalar self, str assert_msg) -> ()",
    tags: EFFECT,
    meta: nothing,
  }),
  defineOp({
    schema:
      "aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()",
    tags: EFFECT,
    meta: ({ a, dtype }) => {
      if (dtype !== null && dtype !== a.dtype)
        throw dtypeMismatch(`Tensor dtype mismatch! Expected: ${dtype}, Got: ${a.dtype}`);
      return null;
    },
  }),
  ...["sym_constrain_range", "sym_constrain_range_for_size"].map((name) =>
    defineOp({
      schema:
        `aten::${name}(Scalar size, *, int? min=None, int? max=None) -> ()` as "aten::x(Scalar size, *, int? min=None, int? max=None) -> ()",
      tags: EFFECT,
      meta: nothing,
    }),
  ),
];
