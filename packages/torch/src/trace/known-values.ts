/**
 * @file Values of tensors that are constants of the program, as `make_fx` keeps them (`proxy_call`
 * in `torch/fx/experimental/proxy_tensor.py`). What a call reads from them is known.
 */
import {
  type Argument,
  FakeTensor,
  type FloatLiteral,
  isFloat,
  type MetaValue,
  unwrapFloat,
} from "@sconce/ir";
import type { OpDefinition } from "@sconce/ops";
import { type Storage, Tensor } from "@sconce/tensor";
import { type OperatorArgument, type OperatorKeywords, type OperatorResult, withTrace } from "./dispatch.js";
import { evaluateEagerly } from "./eager.js";
import { fakesIn } from "./operands.js";
import { isSym } from "./sym-int.js";
import { TracedTensor } from "./traced-tensor.js";

/** Larger tensors are not computed: PyTorch's `CONSTANT_NUMEL_LIMIT`. */
const MOST_ELEMENTS = 1;

const LIFT = "aten.lift_fresh_copy.default";

/** The tensors and symbols among the arguments of a call. */
interface Operands {
  readonly tensors: readonly Tensor[];
  readonly hasSymbols: boolean;
}

function operandsIn(values: readonly OperatorArgument[]): Operands {
  const tensors: Tensor[] = [];
  let hasSymbols = false;
  const visit = (value: OperatorArgument): void => {
    if (value instanceof Tensor) tensors.push(value);
    else if (isSym(value)) hasSymbols = true;
    else if (Array.isArray(value)) for (const item of value as readonly OperatorArgument[]) visit(item);
  };
  for (const value of values) visit(value);
  return { tensors, hasSymbols };
}

/** The values of traced tensors that hold one element and come from constants alone. */
export class KnownValues {
  readonly #values = new Map<FakeTensor, Tensor>();
  /** The memory that views share with constants. */
  readonly #views = new Map<FakeTensor, Storage>();
  /** Memory of constants that a call wrote to with what is not known. */
  readonly #written = new Set<Storage>();

  /**
   * Returns what a call reads from constants (`x.item()`): a number or a boolean, which is part of
   * the program. A float without a fraction stays one, and counts as its number in arithmetic of
   * JavaScript. Undefined where a symbol represents the value.
   */
  read(
    { tags, target }: OpDefinition,
    args: readonly OperatorArgument[],
    kwargs: OperatorKeywords,
  ): number | bigint | boolean | FloatLiteral | undefined {
    if (!tags.includes("data_dependent_output")) return undefined;
    const { tensors, hasSymbols } = operandsIn([...args, ...Object.values(kwargs)]);
    if (hasSymbols || !tensors.every((tensor) => this.#valueOf(tensor) !== undefined)) return undefined;
    const result = this.#evaluate(target, args, kwargs);
    const value = unwrapFloat(result as Argument);
    if (isFloat(result) && Number.isInteger(value)) return wholeFloat(value as number);
    return typeof value === "object" || typeof value === "string" ? undefined : value;
  }

  /** Takes note of the result of a call. */
  note(
    { target, tags, schema }: OpDefinition,
    args: readonly OperatorArgument[],
    kwargs: OperatorKeywords,
    result: MetaValue,
  ): void {
    if (target === LIFT) {
      const [source] = args;
      if (source instanceof Tensor && this.#valueOf(source) !== undefined && source.numel <= MOST_ELEMENTS)
        this.#keep(result, this.#evaluate("aten.clone.default", [source], {}));
      return;
    }
    if (this.#values.size === 0 && !schema.isMutable && !schema.isView) return;
    const { tensors, hasSymbols } = operandsIn([...args, ...Object.values(kwargs)]);
    if (this.#values.size > 0) {
      const isComputed =
        !hasSymbols &&
        target.startsWith("aten.") &&
        !tags.includes("nondeterministic_seeded") &&
        isSmall(result) &&
        tensors.some((tensor) => tensor instanceof TracedTensor) &&
        // The user's tensors keep their values.
        !(schema.isMutable && tensors.some((tensor) => !(tensor instanceof TracedTensor))) &&
        tensors.every((tensor) => this.#valueOf(tensor) !== undefined);
      if (isComputed) {
        this.#keep(result, this.#evaluate(target, args, kwargs));
        return;
      }
    }
    if (schema.isMutable) this.#forget(tensors);
    else if (schema.isView) this.#share(result, tensors);
  }

  /** Returns the value of an operand; undefined where it is not known. */
  #valueOf(tensor: Tensor): Tensor | undefined {
    const value = tensor instanceof TracedTensor ? this.#values.get(tensor.fake) : tensor;
    return value === undefined || !value.hasValues || this.#written.has(value.storage) ? undefined : value;
  }

  #evaluate(
    target: string,
    args: readonly OperatorArgument[],
    kwargs: OperatorKeywords,
  ): OperatorResult | undefined {
    const known = (value: OperatorArgument): unknown => {
      if (value instanceof Tensor) return this.#valueOf(value);
      return Array.isArray(value) ? (value as readonly OperatorArgument[]).map(known) : value;
    };
    const named = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, known(value)]));
    try {
      return withTrace(undefined, () => evaluateEagerly(target, args.map(known), named)) as OperatorResult;
    } catch {
      // The call is recorded, and fails where the program runs.
      return undefined;
    }
  }

  #keep(result: MetaValue, value: OperatorResult | undefined): void {
    if (result instanceof FakeTensor) {
      if (value instanceof Tensor) this.#values.set(result, value);
    } else if (Array.isArray(result) && Array.isArray(value)) {
      for (const [i, item] of (result as readonly MetaValue[]).entries())
        this.#keep(item, (value as readonly OperatorResult[])[i]);
    }
  }

  #memoryOf(tensor: Tensor): Storage | undefined {
    if (!(tensor instanceof TracedTensor)) return tensor.storage;
    return this.#values.get(tensor.fake)?.storage ?? this.#views.get(tensor.fake);
  }

  #forget(tensors: readonly Tensor[]): void {
    for (const tensor of tensors) {
      const memory = this.#memoryOf(tensor);
      if (memory !== undefined) this.#written.add(memory);
    }
  }

  #share(result: MetaValue, tensors: readonly Tensor[]): void {
    const memory = tensors[0] === undefined ? undefined : this.#memoryOf(tensors[0]);
    if (memory !== undefined) for (const fake of fakesIn([result])) this.#views.set(fake, memory);
  }
}

/** Returns the float `3.0`, which is 3 where JavaScript computes with it. */
function wholeFloat(value: number): FloatLiteral {
  const float: FloatLiteral = Object.create(
    { valueOf: () => value },
    {
      kind: { value: "float", enumerable: true },
      value: { value, enumerable: true },
    },
  );
  return Object.freeze(float);
}

const isSmall = (result: MetaValue): boolean =>
  fakesIn([result]).every(({ shape }) => shape.every((size) => size === 0 || size === 1));
