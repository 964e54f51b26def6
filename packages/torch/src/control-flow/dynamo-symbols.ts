/** @file What TorchDynamo, which compiles outermost calls, takes for dynamic. */
import { FakeTensor, type MetaValue, type OpSchema } from "@sconce/ir";
import { freeSymbols, isUnbacked, SymExpr } from "@sconce/symbolic";
import { visitOperands } from "@sconce/trace";
import type { TraceArgument, TraceNode } from "../trace/trace-node.js";
import type { Tracer } from "../trace/tracer.js";

/** Integers of TorchDynamo that only the data decide, and sizes that it takes for dynamic. */
export class DynamoSymbols {
  #inputs = new Set<string>();
  /** Static sizes of tensors for which TorchDynamo has symbols: one for all that are equal. */
  readonly #dynamic = new WeakMap<TraceNode, ReadonlySet<number>>();
  /** Sizes that met others which are static: their symbols have become numbers. */
  readonly #specialized = new Set<number>();
  /** How many integers it has made. */
  made = 0;

  /** Counts the sizes of a tensor around the call, which have other symbols. */
  countInput(val: MetaValue | undefined): void {
    const sizes = val instanceof FakeTensor ? val.shape : [];
    for (const size of sizes) {
      if (!(size instanceof SymExpr)) continue;
      for (const [name, symbol] of freeSymbols(size)) if (isUnbacked(symbol)) this.#inputs.add(name);
    }
  }

  /** Returns the number of the next integer. */
  next(): number {
    return this.#inputs.size + this.made++;
  }

  /**
   * Takes note of an input of a graph. TorchDynamo takes the sizes of static tensors for dynamic,
   * and those of others as they are.
   *
   * @param outer the value around it; undefined for a copy
   */
  addInput(input: TraceNode, parent: Tracer, outer: TraceNode | undefined): void {
    const known = parent.isNested && outer !== undefined ? this.#dynamic.get(outer) : undefined;
    const sizes = sizesOf(input.val);
    if (parent.isNested && outer !== undefined) this.#note(input, sizes, (size) => known?.has(size) === true);
    else if (isStatic(outer?.val ?? input.val)) this.#note(input, sizes, () => true);
  }

  /** Takes note of which sizes of a result come from such sizes. */
  countCall(node: TraceNode, schema: OpSchema | undefined): void {
    const dynamic = new Set<number>();
    const others = new Set<number>();
    visitOperands(node, (operand) => {
      const own = this.#dynamic.get(operand);
      for (const size of sizesOf(operand.val)) (own?.has(size) === true ? dynamic : others).add(size);
    });
    if (dynamic.size === 0) return;
    for (const size of others) if (dynamic.delete(size)) this.#specialized.add(size);
    const given = VIEWS.has(node.target) ? new Set<number>() : givenSizes(node, schema);
    const isMade = (size: number): boolean =>
      !others.has(size) && !(node.target === "aten.slice.Tensor" && endsAtNumber(node));
    this.#note(
      node,
      sizesOf(node.val),
      (size) => !given.has(size) && (dynamic.has(size) || (dynamic.size > 0 && isMade(size))),
    );
  }

  /** Returns whether a tensor that a node takes has sizes that TorchDynamo takes for dynamic. */
  readsDynamic(node: TraceNode): boolean {
    let found = false;
    visitOperands(node, (operand) => {
      const { val } = operand;
      if (!(val instanceof FakeTensor)) return;
      const own = [...(this.#dynamic.get(operand) ?? [])];
      found ||= own.some((size) => !this.#specialized.has(size)) || val.shape.some(isBacked);
    });
    return found;
  }

  #note(node: TraceNode, sizes: readonly number[], isDynamic: (size: number) => boolean): void {
    const own = sizes.filter((size) => !this.#specialized.has(size) && isDynamic(size));
    if (own.length > 0) this.#dynamic.set(node, new Set(own));
  }
}

/** Operators whose sizes TorchDynamo computes from those of the tensor. */
const VIEWS: ReadonlySet<string> = new Set(["aten.view.default", "aten.reshape.default"]);

/** Returns the static sizes of a value that are symbols where they are dynamic: not 0 and 1. */
function sizesOf(val: MetaValue | undefined): readonly number[] {
  if (Array.isArray(val)) return (val as readonly MetaValue[]).flatMap(sizesOf);
  if (!(val instanceof FakeTensor)) return [];
  return val.shape.filter((size): size is number => typeof size === "number" && size > 1);
}

const isStatic = (val: MetaValue | undefined): boolean =>
  val instanceof FakeTensor && !val.shape.some((size) => size instanceof SymExpr);

const isBacked = (size: unknown): boolean =>
  size instanceof SymExpr && [...freeSymbols(size).values()].some((one) => !isUnbacked(one));

/** Returns the sizes that a call gives as numbers. */
function givenSizes({ args }: TraceNode, schema: OpSchema | undefined): ReadonlySet<number> {
  const given = args.filter((_, i) => schema?.args[i]?.type.base === "SymInt");
  return new Set(given.flatMap(numbersIn));
}

function numbersIn(value: TraceArgument): readonly number[] {
  if (Array.isArray(value)) return (value as readonly TraceArgument[]).flatMap(numbersIn);
  return typeof value === "number" ? [value] : [];
}

/** Returns whether a slice has a static end, or a start from the end. */
function endsAtNumber({ args }: TraceNode): boolean {
  const [, , start, end] = args;
  return (typeof start === "number" && start < 0) || typeof end === "number";
}
