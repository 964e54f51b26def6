/**
 * @file `_foreach_*`: an elementwise operator repeated over lists of tensors
 * (`ForeachOpsKernels.cpp`). They need no rows: call `i` of the repeated operator takes element `i`
 * of every list, and all other arguments unchanged.
 */
import { FakeTensor, type MetaValue, type OpSchema, type SchemaArgument } from "@sconce/ir";
import type { BoundArgs, MetaContext, OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { checkInPlace } from "./derive.js";
import { metaOfBound } from "./fake-emit.js";
import type { OperatorRows } from "./operator-rows.js";

const PREFIX = "aten._foreach_";

/** Operators whose name is not that of what they repeat. */
const REPEATED: Readonly<Record<string, string>> = { maximum: "clamp_min", minimum: "clamp_max" };

/** Sums of powers, which take the dtype by keyword. */
const SUMS: Readonly<Record<string, string>> = {
  norm: "aten.linalg_vector_norm.default",
  powsum: "aten.linalg__powsum.default",
};

/** Overloads that may be meant by that of the list form, the likeliest first. */
const OVERLOADS: Readonly<Record<string, readonly string[]>> = {
  default: ["default"],
  List: ["Tensor", "Tensor_Tensor", "default"],
  Scalar: ["Tensor_Scalar", "Scalar", "default"],
  ScalarList: ["Tensor_Scalar", "Scalar", "default"],
  ScalarAndTensor: ["Scalar"],
  Tensor: ["Tensor", "default"],
};

/**
 * Returns the definition of a `_foreach_*` overload from the operator that it repeats; undefined
 * for other targets.
 */
export function deriveForeach(target: string, operators: OperatorRows): OpDefinition | undefined {
  if (!target.startsWith(PREFIX)) return undefined;
  const [schema, schemaText] = [operators.known.schema(target), operators.known.text(target)];
  if (schema === undefined || schemaText === undefined) return undefined;
  const written = schema.args.find((arg) => arg.alias?.write === true);
  if (written !== undefined) return writing(schema, schemaText, written, operators);
  const repeated = repeatedBy(schema, operators);
  if (repeated === undefined) return undefined;
  return Object.freeze({
    target,
    schema,
    schemaText,
    tags: ["not_in_default_table"] as const,
    doc: undefined,
    meta: undefined,
    decompose: (emit: Emit, bound: BoundArgs) => repeat(emit, schema, repeated, bound),
  });
}

function repeatedBy({ name, overload }: OpSchema, operators: OperatorRows): OpSchema | undefined {
  const own = name.slice("_foreach_".length);
  const sum = SUMS[own];
  if (sum !== undefined) return operators.get(sum)?.schema;
  const packet = `aten.${REPEATED[own] ?? own}`;
  for (const choice of OVERLOADS[overload] ?? []) {
    const row = operators.get(`${packet}.${choice}`);
    if (row !== undefined) return row.schema;
  }
  return undefined;
}

/** In-place and `out=` forms write what the functional form gives. */
function writing(
  schema: OpSchema,
  schemaText: string,
  written: SchemaArgument,
  operators: OperatorRows,
): OpDefinition | undefined {
  const { name } = schema;
  const overload = written.kwargOnly ? schema.overload.replace(/_?out$/, "") || "default" : schema.overload;
  const functional = operators.get(`aten.${name.replace(/_$/, "")}.${overload}`);
  if (functional === undefined) return undefined;
  return Object.freeze({
    ...functional,
    target: schema.target,
    schema,
    schemaText,
    functional: functional.target,
    decompose: undefined,
    meta: (given: BoundArgs, { env }: MetaContext) => {
      const results = metaOfBound(operators, functional, given, env) as readonly MetaValue[];
      const targets = given[written.name] as readonly FakeTensor[];
      targets.forEach((target, i) => {
        checkInPlace(target, results[i]!, schema);
      });
      return null;
    },
  });
}

function repeat(emit: Emit, schema: OpSchema, repeated: OpSchema, bound: BoundArgs): readonly FakeTensor[] {
  const lists = schema.args.filter(({ type }) => type.list);
  const [first] = lists.map(({ name }) => bound[name] as readonly unknown[]);
  checkLists(schema, lists, bound, first!.length);
  return first!.map((_, i) => {
    const values = schema.args.map((arg) => elementOf(emit, arg, bound, i));
    return repeated.name.startsWith("linalg_")
      ? emit(repeated.target, [values[0], values[1]], { dtype: values[2] })
      : emit(repeated.target, ...inPlaces(repeated, values));
  });
}

function checkLists(
  schema: OpSchema,
  lists: readonly SchemaArgument[],
  bound: BoundArgs,
  length: number,
): void {
  if (length === 0) throw invalidArgument("Tensor list must have at least one tensor.");
  for (const { name, type } of lists) {
    const other = (bound[name] as readonly unknown[]).length;
    if (other === length) continue;
    throw invalidArgument(
      type.base === "Tensor"
        ? `Tensor lists must have the same number of tensors, got ${length} and ${other}`
        : "Tensor list must have same number of elements as scalar list.",
    );
  }
  const scalars = bound.scalars;
  if (schema.overload !== "Tensor" || !(scalars instanceof FakeTensor)) return;
  if (scalars.ndim !== 1 || (typeof scalars.shape[0] === "number" && scalars.shape[0] !== length)) {
    throw invalidArgument(
      `Expected length of scalars to match input of length ${length} but got ${String(scalars.shape[0])} instead.`,
    );
  }
}

/** Returns what the repeated operator is given for an argument; a tensor of scalars is read. */
function elementOf(emit: Emit, arg: SchemaArgument, bound: BoundArgs, i: number): EmitArg {
  const value = bound[arg.name];
  if (arg.type.list) return (value as readonly EmitArg[])[i];
  if (arg.name === "scalars" && value instanceof FakeTensor) {
    return emit.value("aten.item.default", [emit("aten.select.int", [value, 0, i])]) as EmitArg;
  }
  return value as EmitArg;
}

/**
 * Arguments of the repeated operator: by position, or by the name of that position where it is a
 * keyword.
 */
function inPlaces(
  repeated: OpSchema,
  values: readonly EmitArg[],
): readonly [args: readonly EmitArg[], kwargs: Readonly<Record<string, EmitArg>>] {
  const args = values.filter((_, i) => repeated.args[i]?.kwargOnly === false);
  const kwargs = values.flatMap((value, i) => {
    const arg = repeated.args[i];
    return arg?.kwargOnly ? [[arg.name, value] as const] : [];
  });
  return [args, Object.fromEntries(kwargs)];
}
