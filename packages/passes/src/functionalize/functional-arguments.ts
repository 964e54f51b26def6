/** @file The arguments of a functional overload, from those of the mutating one. */
import type { BoundArgs, EmitArg, OpDefinition } from "@sconce/ops";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** Arguments of a call. */
interface GivenArguments {
  readonly args: readonly EmitArg[];
  readonly kwargs: Kwargs;
}

/** Returns the arguments of the functional overload for those of a call that writes. */
export function functionalArguments(
  row: OpDefinition,
  functional: OpDefinition,
  bound: BoundArgs,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): GivenArguments {
  const { schema } = functional;
  if (!sameOrder(row, functional))
    return { args: schema.args.map(({ name }) => bound[name] as EmitArg), kwargs: {} };
  const takesAll = schema.args.length === row.schema.args.length;
  return takesAll
    ? { args: withRequired(functional, row, bound, args, kwargs), kwargs }
    : withoutOut(row, bound);
}

/**
 * Arguments that only the mutating overload has a default for (`bernoulli_(p=0.5)`,
 * `bernoulli.p(p)`) are spelled out.
 */
function withRequired(
  functional: OpDefinition,
  row: OpDefinition,
  bound: BoundArgs,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): readonly EmitArg[] {
  const all = [...args];
  for (const parameter of functional.schema.args.slice(args.length)) {
    if (parameter.kwargOnly || parameter.hasDefault || kwargs[parameter.name] !== undefined) break;
    all.push(bound[row.schema.args[all.length]!.name] as EmitArg);
  }
  return all;
}

/**
 * False where the functional overload has the same arguments in another order
 * (`polygamma_(self, n)`).
 */
function sameOrder(row: OpDefinition, functional: OpDefinition): boolean {
  const place = new Map(row.schema.args.map(({ name }, i) => [name, i]));
  const own = functional.schema.args.map(({ name }) => place.get(name));
  return !own.every((at) => at !== undefined) || own.every((at, i) => i === 0 || own[i - 1]! < at!);
}

/** `op.out(self, out=x)` without its outputs. */
function withoutOut(row: OpDefinition, bound: BoundArgs): GivenArguments {
  const args: EmitArg[] = [];
  const kwargs: Record<string, EmitArg> = {};
  for (const parameter of row.schema.args) {
    if (parameter.alias?.write && parameter.kwargOnly) continue;
    const value = bound[parameter.name] as EmitArg;
    if (parameter.kwargOnly) kwargs[parameter.name] = value;
    else args.push(value);
  }
  return { args, kwargs };
}
