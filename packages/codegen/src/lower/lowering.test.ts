import { FakeTensor } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators, parseSchema } from "@sconce/ops";
import { symbol } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { apply } from "../ir/scalar.js";
import { checkArguments } from "./core/arguments.js";
import { LazyTensor } from "./core/lazy.js";
import { defineLowerings, lowering, operandLowering } from "./core/lowering.js";
import { whyNotLowered } from "./lower.js";
import { pointwise } from "./rules/pointwise.js";
import { LOWERINGS } from "./table.js";

const operators = defaultOperators();
const entries = Object.entries(LOWERINGS);
const tensor = new LazyTensor({ dtype: "float32", shape: [], node: "x", inputs: [], element: () => never() });
const never = (): never => {
  throw new Error("not read");
};

describe("the table of lowerings", () => {
  test("has the schemas of the operator rows, to the letter", () => {
    const wrong = entries.filter(
      ([target, { schemaText }]) => operators.get(target)?.schemaText !== schemaText,
    );
    expect(wrong).toEqual([]);
    expect(entries.length).toBeGreaterThan(270);
  });

  test("has the overload of each schema as its key", () => {
    expect(entries.filter(([target, entry]) => entry.target !== target)).toEqual([]);
  });

  test("marks exactly the operators whose results may share memory, and their copies, as views", () => {
    const views = entries.filter(([, { isView }]) => isView).map(([target]) => target);
    const shares = (target: string): boolean =>
      operators.require(target).schema.returns.some(({ alias }) => alias !== undefined);
    const isCopy = (target: string): boolean => /_copy\.|^aten\.(_unsafe_view|flip)\./.test(target);
    expect(views.filter((target) => !shares(target) && !isCopy(target))).toEqual([]);
  });
});

describe("a lowering is typed by its schema", () => {
  test("names and kinds of arguments", () => {
    lowering("aten::silu(Tensor self) -> Tensor", ({ self }, call) =>
      pointwise(call, [self], ([x]) => apply("sigmoid", x!)),
    );
    // @ts-expect-error: the schema has no "input"
    lowering("aten::silu(Tensor self) -> Tensor", ({ input }) => input);
    // @ts-expect-error: a dimension is not a tensor
    lowering("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", ({ dim }) => dim);
    lowering(
      "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
      ({ self, k, dim }) => {
        // @ts-expect-error: a size may be symbolic
        const size: number = k;
        const fixed: number = dim;
        return size === fixed ? [self, null] : [null, self];
      },
    );
    // @ts-expect-error: a number may be in the place of the tensor
    operandLowering("aten::neg(Tensor self) -> Tensor", ({ self }) => self);
  });

  test("results", () => {
    // @ts-expect-error: two results
    lowering("aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", ({ self }) => self);
    // @ts-expect-error: a list
    lowering("aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", ({ self }) => self);
    // @ts-expect-error: one tensor, which loops must compute
    lowering("aten::neg(Tensor self) -> Tensor", () => null);
  });

  test("overloads that share a rule have its arguments", () => {
    lowering(
      [
        "aten::any(Tensor self) -> Tensor",
        "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
      ],
      // @ts-expect-error: the first schema has no "dim"
      ({ self, dim }) => (dim === 0 ? self : self),
    );
  });

  test("the text is PyTorch's", () => {
    // @ts-expect-error: PyTorch's parameter is "self"
    lowering("aten::silu(Tensor input) -> Tensor", () => tensor);
    lowering("mylib::silu(Tensor input) -> Tensor", ({ input }) => input);
  });
});

test("an overload is given once", () => {
  const neg = lowering("aten::neg(Tensor self) -> Tensor", ({ self }) => self);
  expect(() => defineLowerings([neg, neg])).toThrow(
    expect.objectContaining({ code: "DUPLICATE_KEY", where: "aten.neg.default" }),
  );
});

describe("arguments of other kinds than the schema's are rejected", () => {
  const schema = parseSchema(
    "mylib::op(Tensor self, Tensor? bias, Tensor[] tensors, int dim, int[] dims, bool flag, SymInt size) -> Tensor",
  );
  const symbolic = symbol("s0", { integer: true });
  const args = { self: tensor, bias: null, tensors: [tensor], dim: 1, dims: [0], flag: true, size: symbolic };
  const reason = (changed: object, takesNumbers = false): string => {
    try {
      checkArguments(schema, { ...args, ...changed }, takesNumbers);
    } catch (error) {
      return (error as Error).message;
    }
    return "accepted";
  };

  test.each([
    [{}, "accepted"],
    [{ bias: tensor }, "accepted"],
    [{ self: 2 }, "its self is not a tensor"],
    [{ bias: 2 }, "its bias is not a tensor"],
    [{ tensors: [tensor, 2] }, "its tensors holds more than tensors"],
    [{ dim: symbolic }, "its dim is not a fixed number"],
    [{ dims: [0, symbolic] }, "its dims is not fixed"],
    [{ flag: symbolic }, "its flag is not a fixed boolean"],
    [{ dim: undefined }, 'it is bound by another schema, without "dim"'],
  ])("%# %s", (changed, expected) => expect(reason(changed)).toBe(expected));

  test("but for numbers in the place of tensors, where the rule takes them", () => {
    expect(reason({ self: 2 }, true)).toBe("accepted");
    const graph = parseGraph(`graph(%x: f32[2]) {
      %a: f32[2] = aten.mul.Tensor(%x, 2)
      %b: f32[2] = aten.clamp.Tensor(%x, 2)
      return (%a, %b)
    }`);
    expect(whyNotLowered(graph.node("a"), graph, { operators })).toBeUndefined();
    expect(whyNotLowered(graph.node("b"), graph, { operators })).toBe("its min is not a tensor");
  });
});

test("prims.convert_element_type lowers: its tensor is `a`, not `self`", () => {
  const graph = parseGraph(`graph(%x: f32[2]) {
    %a: f16[2] = prims.convert_element_type.default(%x, float16)
    return (%a,)
  }`);
  expect(graph.node("a").meta.val).toBeInstanceOf(FakeTensor);
  expect(whyNotLowered(graph.node("a"), graph, { operators })).toBeUndefined();
});
