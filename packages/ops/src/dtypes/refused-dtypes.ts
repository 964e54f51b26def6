/**
 * @file The one check of dtypes: which calls PyTorch's CPU kernels refuse. Shape rules serve all
 * devices and accept more, in PyTorch as here: such a program can be exported, but not run.
 */
import type { DType } from "@sconce/tensor";
import type { BoundArgs } from "../rows/define-op.js";
import { cppTypeName, scalarTypeName, shortCppTypeName, tensorTypeName } from "../rules/dtype-names.js";
import type { ScalarArg } from "../schema/schema-types.js";
import { BY_SETTING } from "./by-setting.js";
import { type AnyTensor, isTensor, promotedOf } from "./operands.js";
import { type Clause, hasDType, readClauses, type Subject } from "./read-clauses.js";

/** What is checked of the calls of one operator. */
interface Checks {
  readonly clauses: readonly Clause[];
  readonly bySetting: ((bound: BoundArgs) => string | undefined) | undefined;
}

let table: ReadonlyMap<string, Checks> | undefined;

function checksOf(target: string): Checks | undefined {
  table ??= readTable();
  return table.get(target);
}

function readTable(): ReadonlyMap<string, Checks> {
  const clauses = readClauses();
  return new Map(
    [...BY_SETTING.keys(), ...clauses.keys()].map((name) => [
      name,
      { clauses: clauses.get(name) ?? [], bySetting: BY_SETTING.get(name) },
    ]),
  );
}

/** Returns whether the table knows an operator. */
export const hasDTypeCheck = (target: string): boolean => checksOf(target) !== undefined;

/**
 * Returns why PyTorch's CPU kernels refuse the dtypes of a call, in PyTorch's words; undefined when
 * they take them.
 *
 * @param bound the arguments by schema name, tensors or fake ones
 */
export function refusedDTypes(target: string, bound: BoundArgs): string | undefined {
  const checks = checksOf(target);
  if (checks === undefined) return undefined;
  const { clauses, bySetting } = checks;
  const refused = bySetting?.(bound);
  if (refused !== undefined) return refused;
  for (const clause of clauses) {
    const dtypes = refusedBy(clause, bound);
    if (dtypes === undefined || !isMet(clause.when, bound)) continue;
    if (!(clause.acceptsEmpty && tensorsOf(bound).some(isEmpty))) return messageOf(clause.message, dtypes);
  }
  return undefined;
}

/** Returns the dtypes that a clause refuses, if it does. */
function refusedBy({ subject, set }: Clause, bound: BoundArgs): readonly DType[] | undefined {
  if (subject.kind === "equal") {
    const [a, b] = [firstOf(bound[subject.names[0]]), firstOf(bound[subject.names[1]])];
    return a === undefined || b === undefined || a.dtype === b.dtype ? undefined : [a.dtype, b.dtype];
  }
  const dtype = dtypeOf(subject, bound);
  return dtype !== undefined && hasDType(set, dtype) ? [dtype] : undefined;
}

function dtypeOf(subject: Exclude<Subject, { kind: "equal" }>, bound: BoundArgs): DType | undefined {
  switch (subject.kind) {
    case "argument": {
      const value = bound[subject.name];
      if (isTensor(value)) return value.dtype;
      return Array.isArray(value) ? promotedOf(value.filter(isTensor)) : undefined;
    }
    case "promoted":
      // The clause is about the first operand: an optional one may be left out.
      if (bound[subject.names[0]!] === null) return undefined;
      return (
        sharedDType(subject.names, bound) ??
        promotedOf(subject.names.flatMap((name) => operandsOf(bound[name])))
      );
    case "dtype": {
      const dtype = bound["dtype"];
      if (dtype !== null && dtype !== undefined) return dtype as DType;
      return subject.orPromoted ? promotedOf(tensorsOf(bound)) : undefined;
    }
  }
}

/**
 * Returns the dtype of arguments that are all tensors of it: most calls, known without promotion.
 */
function sharedDType(names: readonly string[], bound: BoundArgs): DType | undefined {
  let shared: DType | undefined;
  for (const name of names) {
    const value = bound[name];
    if (value === null || value === undefined) continue;
    if (!isTensor(value) || (shared !== undefined && shared !== value.dtype)) return undefined;
    shared = value.dtype;
  }
  return shared;
}

const firstOf = (value: unknown): AnyTensor | undefined =>
  isTensor(value) ? value : Array.isArray(value) ? value.find(isTensor) : undefined;

const operandsOf = (value: unknown): readonly (AnyTensor | ScalarArg)[] => {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.filter(isTensor) : [value as AnyTensor | ScalarArg];
};

function tensorsOf(bound: BoundArgs): AnyTensor[] {
  const found: AnyTensor[] = [];
  for (const name in bound) {
    const value = bound[name];
    if (isTensor(value)) found.push(value);
    else if (Array.isArray(value)) found.push(...value.filter(isTensor));
  }
  return found;
}

/** Returns whether a size is known to be zero. */
const isEmpty = ({ shape }: AnyTensor): boolean => (shape as readonly unknown[]).includes(0);

function isMet(when: Clause["when"], bound: BoundArgs): boolean {
  if (when === undefined) return true;
  const [name, value] = when;
  if (name === "rank" || name === "0d") {
    const rank = tensorsOf(bound)[0]?.shape.length;
    return value === (name === "rank" ? String(rank) : pythonText(rank === 0));
  }
  return pythonText(bound[name]) === value;
}

/** `True`, `None`, `floor`: how the table writes values. */
function pythonText(value: unknown): string {
  if (value === null || value === undefined) return "None";
  return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

/** How the letters of the table's messages name dtypes. */
const NAMES: Readonly<Record<string, (dtype: DType) => string>> = {
  S: scalarTypeName,
  C: shortCppTypeName,
  L: cppTypeName,
  T: (dtype) => `torch.${dtype}`,
  P: tensorTypeName,
};

const messageOf = (message: string, dtypes: readonly DType[]): string =>
  message.replace(/%([01]?)([SCLTP])/g, (_, index: string, style: string) =>
    NAMES[style]!(dtypes[Number(index)]!),
  );
