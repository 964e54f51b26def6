/** @file What a call becomes under the default table, as a list of operators. */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import type { OpDefinition } from "./rows/define-op.js";
import type { Emit, EmitArg } from "./rows/emit.js";
import { bindArgs } from "./table/bind.js";
import { emitFrom, fakeEmit } from "./table/fake-emit.js";
import type { OperatorTable } from "./table/table.js";

interface Step {
  readonly target: string;
  readonly inputs: ReadonlySet<FakeTensor>;
  readonly results: readonly FakeTensor[];
}

const tensorsIn = (value: unknown): FakeTensor[] =>
  value instanceof FakeTensor ? [value] : Array.isArray(value) ? value.flatMap(tensorsIn) : [];

/** Operators that a call is replaced by, in order, without those whose results nothing uses. */
export function operatorsOf(
  table: OperatorTable,
  env: SymEnv,
  target: string,
  args: readonly EmitArg[],
  kwargs: Readonly<Record<string, EmitArg>>,
): readonly string[] {
  const steps: Step[] = [];
  // A write becomes a value, as functionalization makes it.
  const functional = (name: string): OpDefinition => {
    const row = table.require(name);
    return (row.schema.isMutable ? table.get(name.replace(/_(?=\.\w+$)/, "")) : undefined) ?? row;
  };
  const emit: Emit = emitFrom(env, (name, given, named) => call(functional(name), given, named));
  const call = (
    row: OpDefinition,
    given: readonly EmitArg[],
    named: Readonly<Record<string, EmitArg>>,
  ): MetaValue => {
    const bound = bindArgs(row.schema, given, named);
    if (row.decompose !== undefined && !row.tags.includes("not_in_default_table"))
      return row.decompose(emit, bound);
    const result =
      row.meta !== undefined ? row.meta(bound, { env }) : row.decompose!(fakeEmit(table, env), bound);
    const inputs = new Set([...given, ...Object.values(named)].flatMap(tensorsIn));
    steps.push({ target: row.target, inputs, results: tensorsIn(result) });
    return result;
  };
  const live = new Set(tensorsIn(call(table.require(target), args, kwargs)));
  return steps
    .reverse()
    .filter(({ inputs, results }) => {
      if (!results.some((tensor) => live.has(tensor))) return false;
      for (const tensor of inputs) live.add(tensor);
      return true;
    })
    .map((step) => step.target)
    .reverse();
}
