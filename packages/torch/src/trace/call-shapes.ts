/** @file Results of the calls of a traced program, from the shape rules of their operators. */
import { FakeTensor, isSymScalar, type MetaValue, type OpSchema } from "@sconce/ir";
import {
  type BoundArgs,
  bindArgs,
  fakeEmit,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
} from "@sconce/ops";
import { type ShapeEnv, SymExpr, symEquals } from "@sconce/symbolic";
import type { NormalizedCall } from "@sconce/trace";
import { type AutocastMode, NO_AUTOCAST } from "./autocast-mode.js";
import { castMeta, isCast } from "./autocast-shapes.js";
import { guardContiguity } from "./contiguity.js";
import type { OperatorResult } from "./dispatch.js";
import { mixedDevices } from "./errors.js";
import type { ExampleRun } from "./example-run.js";
import { mayMix } from "./meta-tensors.js";
import { fakesIn, operandsOf } from "./operands.js";
import { type CachedCall, ShapeCache } from "./shape-cache.js";
import { bringsSymbols } from "./symbols-in.js";
import { requireSizes } from "./unbacked-sizes.js";

/** The parameters of {@link CallShapes}. */
interface CallShapesInit {
  readonly env: ShapeEnv;
  readonly operators: OperatorTable;
  readonly example: ExampleRun | undefined;
}

/** Runs shape rules, whose results equal calls share. */
export class CallShapes {
  readonly #env: ShapeEnv;
  readonly #operators: OperatorTable;
  readonly #example: ExampleRun | undefined;
  readonly #cache: ShapeCache;
  readonly #guarded = new Set<string>();
  /** The mixed precision region that calls are in. */
  autocast: AutocastMode = NO_AUTOCAST;

  constructor({ env, operators, example }: CallShapesInit) {
    this.#env = env;
    this.#operators = operators;
    this.#example = example;
    this.#cache = new ShapeCache(env);
  }

  /** Returns whether a size, a stride or the offset of a tensor is symbolic. */
  isDynamic(tensor: FakeTensor): boolean {
    return this.#cache.layoutOf(tensor).isDynamic;
  }

  /** Returns a tensor of the same layout. */
  copy(tensor: FakeTensor, requiresGrad: boolean): FakeTensor {
    return this.#cache.copy(tensor, requiresGrad);
  }

  /** Returns the shape rule's result for a call, which an equal call of before may have given. */
  of(row: OpDefinition, call: NormalizedCall, real?: OperatorResult): CachedCall {
    const { dtype, enabled } = this.autocast;
    const name = enabled ? `${dtype} ${row.target}` : row.target;
    const key = this.#cache.keyOf(name, call.args, call.kwargs);
    const known = key === undefined ? undefined : this.#cache.find(key);
    if (known !== undefined) return known;
    const operands = operandsOf(call);
    refuseMixed(row.target, operands);
    const bound = bindArgs(row.schema, call.args, call.kwargs);
    const rule = (): MetaValue => {
      if (!enabled) return metaOfBound(this.#operators, row, bound, this.#env);
      return castMeta({ operators: this.#operators, env: this.#env, dtype }, row, bound);
    };
    const result = this.#example?.resultOf(row.target, real, rule) ?? rule();
    requireSizes(this.#env, result);
    this.#guardContiguity(result);
    const returned = this.#returnedOperands(row, bound, operands, result);
    const made = { result, returned };
    // Which of two equal operands is returned depends on more than the layouts.
    const isClear = returned === undefined || new Set(operands).size === operands.length;
    // A symbol that the operands lack belongs to one tensor: an equal layout has another.
    if (key !== undefined && isClear && !bringsSymbols(result, operands)) this.#cache.keep(key, made);
    return made;
  }

  #guardContiguity(result: MetaValue): void {
    if (Array.isArray(result)) {
      for (const item of result as readonly MetaValue[]) this.#guardContiguity(item);
      return;
    }
    if (!(result instanceof FakeTensor)) return;
    const layout = this.#cache.layoutOf(result);
    if (layout.isGuarded) return;
    guardContiguity(this.#env, result, this.#guarded);
    layout.isGuarded = true;
  }

  /**
   * Returns the places of the operands that a composite returns unchanged, by the places of its
   * results; undefined when there are none. The program continues with the same tensor, whose node
   * is now the call.
   */
  #returnedOperands(
    row: OpDefinition,
    bound: BoundArgs,
    operands: readonly FakeTensor[],
    result: MetaValue,
  ): readonly number[] | undefined {
    if (row.decompose === undefined || !row.tags.includes("composite")) return undefined;
    if (this.autocast.enabled && isCast(row.target)) return undefined;
    if (!fakesIn([result]).some((fake) => operands.some((operand) => looksAs(fake, operand))))
      return undefined;
    const given =
      row.meta === undefined ? result : row.decompose(fakeEmit(this.#operators, this.#env), bound);
    const items = Array.isArray(given) ? (given as readonly MetaValue[]) : [given];
    const places = items.map((item) => operands.indexOf(item as FakeTensor));
    return places.some((place) => place >= 0) ? places : undefined;
  }
}

/**
 * Returns whether a call gives a boolean that only the data decide: JavaScript would take it for
 * true.
 */
export const isUndecided = ({ returns }: OpSchema, result: MetaValue): boolean =>
  returns.length === 1 &&
  returns[0]!.type.base === "bool" &&
  isSymScalar(result) &&
  result.expr instanceof SymExpr;

/** Refuses tensors of other devices beside those on `meta` (`FakeTensorDeviceMismatchError`). */
function refuseMixed(target: string, operands: readonly FakeTensor[]): void {
  const others = operands.filter(({ device }) => device.type !== "meta");
  if (others.length === operands.length || mayMix(target, others)) return;
  throw mixedDevices(
    target,
    `Expected all tensors to be on the same device, but found at least two devices, ${others[0]!.device.type} and meta!`,
  );
}

const looksAs = (a: FakeTensor, b: FakeTensor): boolean =>
  a.dtype === b.dtype && a.ndim === b.ndim && a.shape.every((size, d) => symEquals(size, b.shape[d]!));
