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

/** Tensors that differ only in identity. */
export interface Layout {
  readonly id: number;
  /** Whether its sizes have sources, its symbols are known and its contiguity was asked about. */
  isTracked: boolean;
  isGuarded: boolean;
}

/** Finds the result of an equal call of before, unless something was learned since. */
export class ShapeCache {
  readonly #env: ShapeEnv;
  readonly #calls = new Map<string, CachedCall>();
  readonly #layouts = new Map<string, Layout>();
  readonly #layoutOf = new Map<FakeTensor, Layout>();
  #version: number;

  constructor(env: ShapeEnv) {
    this.#env = env;
    this.#version = env.version;
  }

  /** The layout of a tensor. */
  layoutOf(tensor: FakeTensor): Layout {
    let layout = this.#layoutOf.get(tensor);
    if (layout !== undefined) return layout;
    const key = layoutKey(tensor);
    layout = this.#layouts.get(key);
    if (layout === undefined) {
      layout = { id: this.#layouts.size, isTracked: false, isGuarded: false };
      this.#layouts.set(key, layout);
    }
    this.#layoutOf.set(tensor, layout);
    return layout;
  }

  /** A tensor of the same layout with its own identity. */
  copy(tensor: FakeTensor, requiresGrad: boolean): FakeTensor {
    const copy = new FakeTensor({ ...tensor, requiresGrad });
    this.#layoutOf.set(copy, this.layoutOf(tensor));
    return copy;
  }

  /** The key of a call; undefined for arguments that have none. */
  keyOf(
    target: string,
    args: readonly EmitArg[],
    kwargs: Readonly<Record<string, EmitArg>>,
  ): string | undefined {
    let key = target;
    for (const arg of args) {
      const part = this.#keyOfValue(arg as UnboundArg);
      if (part === undefined) return undefined;
      key += `|${part}`;
    }
    for (const name in kwargs) {
      const part = this.#keyOfValue(kwargs[name] as UnboundArg);
      if (part === undefined) return undefined;
      key += `|${name}=${part}`;
    }
    return key;
  }

  #keyOfValue(value: UnboundArg): string | undefined {
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
    if (typeof value === "string") return JSON.stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof FakeTensor) return `t${this.layoutOf(value).id}${value.requiresGrad ? "g" : ""}`;
    if (value instanceof SymExpr) return value.key;
    if (Array.isArray(value)) {
      const parts: string[] = [];
      for (const item of value as readonly UnboundArg[]) {
        const part = this.#keyOfValue(item);
        if (part === undefined) return undefined;
        parts.push(part);
      }
      return `[${parts.join()}]`;
    }
    if (isSymScalar(value))
      return `${value.kind}:${value.expr instanceof SymExpr ? value.expr.key : String(value.expr)}`;
    return literalKey(value);
  }

  /** The result of a call; undefined where none is kept. */
  find(key: string): CachedCall | undefined {
    if (this.#version !== this.#env.version) {
      this.#calls.clear();
      this.#version = this.#env.version;
    }
    return this.#calls.get(key);
  }

  /**
   * Keeps the result of a call that began when `find` returned undefined, unless something was
   * learned meanwhile: the next such call may learn more.
   */
  keep(key: string, call: CachedCall): void {
    if (this.#version === this.#env.version) this.#calls.set(key, call);
  }
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
