/**
 * @file Results of shape rules, kept while a program is traced: the layers of a network ask the
 * same again and again (`FakeTensorMode` keeps them too).
 */
import { FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import type { EmitArg, UnboundArg } from "@sconce/ops";
import { type ShapeEnv, SymExpr } from "@sconce/symbolic";

/** What a call gave. */
export interface CachedCall {
  readonly result: MetaValue;
  /** Places of operands that the call returns unchanged, by the places of its results. */
  readonly returned: readonly number[] | undefined;
}

/** Tensors that differ only in identity, that of their sizes included. */
export interface Layout {
  readonly id: number;
  /** Whether a size, a stride or the offset is symbolic. */
  readonly isDynamic: boolean;
  /** Whether its contiguity was asked about. */
  isGuarded: boolean;
}

/** What a call is found by. */
export interface CallKey {
  readonly text: string;
  /** The symbolic sizes among its operands, each object once. */
  readonly sizes: readonly SymExpr[];
}

/** A call with the sizes of the operands that it had. */
interface KnownCall {
  readonly call: CachedCall;
  readonly sizes: readonly SymExpr[];
}

/** Finds the result of an equal call of before, unless something was learned since. */
export class ShapeCache {
  readonly #env: ShapeEnv;
  readonly #calls = new Map<string, KnownCall>();
  readonly #layouts = new Map<string, Layout>();
  readonly #layoutOf = new Map<FakeTensor, Layout>();
  #version: number;

  constructor(env: ShapeEnv) {
    this.#env = env;
    this.#version = env.version;
  }

  /** Returns the layout of a tensor. */
  layoutOf(tensor: FakeTensor): Layout {
    let layout = this.#layoutOf.get(tensor);
    if (layout !== undefined) return layout;
    const key = layoutKey(tensor);
    layout = this.#layouts.get(key);
    if (layout === undefined) {
      layout = { id: this.#layouts.size, isDynamic: sizesIn(tensor).length > 0, isGuarded: false };
      this.#layouts.set(key, layout);
    }
    this.#layoutOf.set(tensor, layout);
    return layout;
  }

  /** Returns a tensor of the same layout with its own identity. */
  copy(tensor: FakeTensor, requiresGrad: boolean): FakeTensor {
    const copy = new FakeTensor({ ...tensor, requiresGrad });
    this.#layoutOf.set(copy, this.layoutOf(tensor));
    return copy;
  }

  /**
   * Returns the key of a call; undefined for arguments that have none. Equal sizes count as one
   * only where they are one object (`_PySymInputStub`, `_InputBackref`).
   */
  keyOf(
    target: string,
    args: readonly EmitArg[],
    kwargs: Readonly<Record<string, EmitArg>>,
  ): CallKey | undefined {
    let text = target;
    const sizes = new Map<SymExpr, number>();
    for (const arg of args) {
      const part = this.#keyOfValue(arg as UnboundArg, sizes);
      if (part === undefined) return undefined;
      text += `|${part}`;
    }
    for (const name in kwargs) {
      const part = this.#keyOfValue(kwargs[name] as UnboundArg, sizes);
      if (part === undefined) return undefined;
      text += `|${name}=${part}`;
    }
    return { text, sizes: sizes.size === 0 ? NO_SIZES : [...sizes.keys()] };
  }

  #keyOfValue(value: UnboundArg, sizes: Map<SymExpr, number>): string | undefined {
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
    if (typeof value === "string") return JSON.stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof FakeTensor) return this.#keyOfTensor(value, sizes);
    if (value instanceof SymExpr) return `${value.key}@${numberOf(value, sizes)}`;
    if (Array.isArray(value)) {
      const parts: string[] = [];
      for (const item of value as readonly UnboundArg[]) {
        const part = this.#keyOfValue(item, sizes);
        if (part === undefined) return undefined;
        parts.push(part);
      }
      return `[${parts.join()}]`;
    }
    if (isSymScalar(value))
      return value.expr instanceof SymExpr
        ? `${value.kind}:${value.expr.key}@${numberOf(value.expr, sizes)}`
        : `${value.kind}:${String(value.expr)}`;
    return literalKey(value);
  }

  #keyOfTensor(tensor: FakeTensor, sizes: Map<SymExpr, number>): string {
    const { id, isDynamic } = this.layoutOf(tensor);
    const objects = isDynamic ? `@${sizesIn(tensor).map((size) => numberOf(size, sizes))}` : "";
    return `t${id}${tensor.requiresGrad ? "g" : ""}${objects}`;
  }

  /**
   * Returns the result of a call, with the sizes of these operands; undefined where none is kept.
   */
  find({ text, sizes }: CallKey): CachedCall | undefined {
    if (this.#version !== this.#env.version) {
      this.#calls.clear();
      this.#version = this.#env.version;
    }
    const known = this.#calls.get(text);
    if (known === undefined || sizes.length === 0) return known?.call;
    const { result, returned } = known.call;
    const renamed = new Map(known.sizes.map((size, i) => [size, sizes[i]!] as const));
    return { result: withSizes(result, renamed), returned };
  }

  /**
   * Keeps the result of a call that began when `find` returned undefined, unless something was
   * learned meanwhile: the next such call may learn more.
   */
  keep({ text, sizes }: CallKey, call: CachedCall): void {
    if (this.#version === this.#env.version) this.#calls.set(text, { call, sizes });
  }
}

const NO_SIZES: readonly SymExpr[] = [];

function numberOf(size: SymExpr, sizes: Map<SymExpr, number>): number {
  const known = sizes.get(size) ?? sizes.size;
  sizes.set(size, known);
  return known;
}

/** Returns the symbolic sizes, strides and offset of a tensor. */
function sizesIn({ shape, strides, storageOffset }: FakeTensor): SymExpr[] {
  const found: SymExpr[] = [];
  for (const size of shape) if (size instanceof SymExpr) found.push(size);
  for (const stride of strides) if (stride instanceof SymExpr) found.push(stride);
  if (storageOffset instanceof SymExpr) found.push(storageOffset);
  return found;
}

/**
 * Returns a result whose sizes are those of other operands; its other sizes become separate
 * objects.
 */
function withSizes(value: MetaValue, sizes: Map<SymExpr, SymExpr>): MetaValue {
  if (Array.isArray(value)) return (value as readonly MetaValue[]).map((item) => withSizes(item, sizes));
  const renamed = <T>(size: T): T => {
    if (!(size instanceof SymExpr)) return size;
    const known = sizes.get(size) ?? size.distinct();
    sizes.set(size, known);
    return known as T;
  };
  if (isSymScalar(value)) return { ...value, expr: renamed(value.expr) } as MetaValue;
  if (!(value instanceof FakeTensor)) return value;
  const { shape, strides, storageOffset } = value;
  return new FakeTensor({
    ...value,
    shape: shape.map(renamed),
    strides: strides.map(renamed),
    storageOffset: renamed(storageOffset),
  });
}

const sizeKey = (size: unknown): string => (size instanceof SymExpr ? size.key : String(size));

const layoutKey = ({ dtype, shape, strides, storageOffset, device, layout }: FakeTensor): string =>
  `${dtype} ${shape.map(sizeKey).join()} ${strides.map(sizeKey).join()} ${sizeKey(storageOffset)} ${device.type}:${device.index} ${layout}`;

/** Literals with a kind, such as dtypes and devices, hold only texts and numbers. */
function literalKey(value: object): string | undefined {
  let key = "{";
  for (const name in value) {
    const part = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof part === "object" && part !== null) return undefined;
    key += `${name}:${Object.is(part, -0) ? "-0" : String(part)},`;
  }
  return `${key}}`;
}
