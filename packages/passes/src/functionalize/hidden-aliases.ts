import { type MetaValue, mayOverlap } from "@sconce/ir";
import {
  ALIAS_SINGLE_OPERAND,
  type BoundArgs,
  bindArgs,
  type EmitArg,
  HIDDEN_ALIASES,
  HIDDEN_WRITES,
  internalOverlap,
  type OpDefinition,
} from "@sconce/ops";
import { hiddenWrite } from "./errors.js";
import { type FunctionalStorage, FunctionalTensor } from "./functional-tensor.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

export class HiddenAliases {
  /** Operators to decompose although they could be kept. */
  readonly #decomposed: ReadonlySet<string>;
  /** Storages that are one in truth, with the operators that hide it. */
  readonly #sharing = new WeakMap<FunctionalStorage, Set<string>>();
  /** Operators that hide a write from something. */
  readonly seen = new Set<string>();

  constructor(decomposed: ReadonlySet<string> = new Set()) {
    this.#decomposed = decomposed;
  }

  decomposes(target: string): boolean {
    return this.#decomposed.has(target);
  }

  /**
   * Notes a call that was kept. @throws SconceError `NOT_FUNCTIONALIZABLE` for one that writes
   * without saying so
   */
  note(row: OpDefinition, args: readonly EmitArg[], kwargs: Kwargs, result: MetaValue): void {
    const [aliased, hidden] = [HIDDEN_ALIASES[row.target], HIDDEN_WRITES[row.target]];
    if (aliased === undefined && hidden === undefined) return;
    const bound = bindArgs(row.schema, args, kwargs);
    if (hidden !== undefined && writes(bound, hidden)) throw hiddenWrite(row.target, hidden.written);
    const results = tensorsOf(result);
    const given = (aliased ?? []).flatMap((name) => tensorsOf(bound[name]));
    if (given.length > 1 && ALIAS_SINGLE_OPERAND.has(row.target)) return;
    const alike = given.filter((tensor) => results.some(({ dtype }) => dtype === tensor.dtype));
    if (alike.length > 0) this.#share(row.target, [...alike, ...results]);
  }

  #share(target: string, tensors: readonly FunctionalTensor[]): void {
    const hiders = new Set([target]);
    for (const { storage } of tensors)
      for (const other of this.#sharing.get(storage) ?? []) hiders.add(other);
    for (const { storage } of tensors) this.#sharing.set(storage, hiders);
  }

  written(storage: FunctionalStorage): void {
    for (const target of this.#sharing.get(storage) ?? []) this.seen.add(target);
  }

  /** `as_strided` may give one place several times; the values do not show which of them counts. */
  checkStep(row: OpDefinition, args: readonly EmitArg[]): void {
    if (row.target !== "aten.as_strided.default") return;
    const [, shape, strides] = args as readonly (readonly number[])[];
    if (mayOverlap(shape!, strides!)) {
      throw internalOverlap("a write through as_strided to a view with internal overlap", row.target);
    }
  }
}

function writes(bound: BoundArgs, { written, flag }: (typeof HIDDEN_WRITES)[string]): boolean {
  if (flag !== undefined && bound[flag] === false) return false;
  return written.some((name) => bound[name] instanceof FunctionalTensor);
}

function tensorsOf(value: unknown): readonly FunctionalTensor[] {
  if (value instanceof FunctionalTensor) return [value];
  return Array.isArray(value) ? value.flatMap(tensorsOf) : [];
}
