/**
 * @file Overloads that write into other arguments than `self`: `out=`, those whose functional
 * overload is named `*_functional`, and in-place ones whose functional overload has another name or
 * another order of arguments. PyTorch groups overloads by their arguments without the written ones
 * (`torchgen/model.py`).
 */
import { FakeTensor, type MetaValue, type OpSchema, type SchemaArgument } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { computesInOutput, refuseOutputDType } from "../outputs/output-dtypes.js";
import { isOutput, iteratesOutput, refuseOutputOperand } from "../outputs/output-operands.js";
import type { BoundArgs, MetaContext, OpDefinition, OpTag } from "../rows/define-op.js";
import { sizesEqual } from "../rules/dims.js";
import { fake } from "../rules/fake.js";
import { isTensorLike } from "./bind.js";
import { checkInPlace, checkPlaces } from "./derive.js";
import { metaOfBound } from "./fake-emit.js";
import { inPlaceComposite } from "./in-place-composites.js";
import type { OperatorRows } from "./operator-rows.js";

/** Arguments of factories that `out=` overloads leave to the output. */
const OPTIONS: ReadonlySet<string> = new Set(["dtype", "layout", "device", "pin_memory", "memory_format"]);

/**
 * Returns the definition of a writing overload from the functional one; undefined when there is
 * none.
 */
export function deriveWriting(target: string, operators: OperatorRows): OpDefinition | undefined {
  const [schema, schemaText] = [operators.known.schema(target), operators.known.text(target)];
  if (schema?.isMutable !== true || schemaText === undefined || schema.isView) return undefined;
  const functional = functionalOf(schema, operators);
  if (functional === undefined) return undefined;
  return Object.freeze({
    ...functional,
    target,
    schema,
    schemaText,
    tags: writingTags(functional, target),
    functional: functional.target,
    decompose: inPlaceComposite(target),
    meta: (given: BoundArgs, context: MetaContext) => {
      const result = metaOfBound(
        operators,
        functional,
        functionalArguments(schema, functional, given),
        context.env,
      );
      checkSelf(schema, given, result);
      return writtenResults(schema, functional, given, result, context.env);
    },
  });
}

function writingTags({ tags }: OpDefinition, target: string): readonly OpTag[] {
  const kept = tags.filter((tag) => tag !== "core" && tag !== "composite");
  return inPlaceComposite(target) === undefined ? kept : [...kept, "composite"];
}

function functionalOf(schema: OpSchema, operators: OperatorRows): OpDefinition | undefined {
  const { namespace, overload } = schema;
  const name = schema.name.replace(/([^_])_$/, "$1");
  const named = operators.get(`${namespace}.${name}_functional.${overload}`);
  if (named !== undefined) return named;
  if (overload === "out") {
    const other = operators.get(`${namespace}.${name}_functional.default`);
    if (other !== undefined && isFunctionalOf(other.schema, schema)) return other;
  }
  const matches = name === schema.name ? isFunctionalOf : isOutOfPlaceOf;
  return operators.overloadsOf(`${namespace}.${name}`).find((row) => matches(row.schema, schema));
}

/**
 * Returns whether an overload takes the arguments of an in-place one, in whatever order:
 * `polygamma_(self, n)` is `polygamma(n, self)`, `pow_.Scalar` is `pow.Tensor_Scalar`.
 */
function isOutOfPlaceOf(functional: OpSchema, schema: OpSchema): boolean {
  if (functional.isMutable || functional.isView || functional.args.length !== schema.args.length)
    return false;
  const written = schema.args.filter((arg) => arg.alias?.write === true);
  if (functional.returns.length !== written.length) return false;
  return schema.args.every(({ name, type }) =>
    functional.args.some(
      (arg) => arg.name === name && arg.type.base === type.base && arg.type.list === type.list,
    ),
  );
}

/** An in-place overload with a single result: `self` has to be able to hold it. */
function checkSelf(schema: OpSchema, given: BoundArgs, result: MetaValue): void {
  const [self] = schema.args;
  if (self === undefined || self.kwargOnly || self.alias?.write !== true) return;
  const target = given[self.name];
  if (target instanceof FakeTensor) checkInPlace(target, result, schema);
}

/**
 * Returns the arguments that an overload writes, in the order in which its functional overload
 * gives their new values: outputs first.
 */
export function writtenArguments({ args }: OpSchema): readonly SchemaArgument[] {
  const written = args.filter((arg) => arg.alias?.write === true);
  return [...written.filter(isOutput), ...written.filter((arg) => !isOutput(arg))];
}

/** `out=` forms with a kernel of PyTorch, which writes the inputs that the schema marks too. */
const WRITES_INPUTS: ReadonlySet<string> = new Set([
  "_native_batch_norm_legit",
  "_batch_norm_with_update",
  "rrelu_with_noise",
]);

/**
 * Returns whether a call leaves this written input as it is, whatever the schema says: PyTorch
 * generates the `out=` form of an in-place overload, and copies the outputs only.
 */
export const leavesInput = (schema: OpSchema, arg: SchemaArgument): boolean =>
  !isOutput(arg) && schema.args.some(isOutput) && !WRITES_INPUTS.has(schema.name);

function isFunctionalOf(functional: OpSchema, schema: OpSchema): boolean {
  const own = schema.args.filter((arg) => !isOutput(arg));
  const written = writtenArguments(schema).length;
  if (functional.isMutable || functional.isView || own.length === schema.args.length) return false;
  const names = new Set(own.map((arg) => arg.name));
  const rest = functional.args.filter(
    (arg) => names.has(arg.name) || !(arg.kwargOnly && OPTIONS.has(arg.name)),
  );
  if (functional.returns.length !== written || rest.length !== own.length) return false;
  return own.every(({ name, type }, i) => {
    const other = rest[i]!;
    return other.name === name && other.type.base === type.base && other.type.list === type.list;
  });
}

/**
 * Arguments of the functional overload from those of the writing one. Names may differ between an
 * in-place overload and its functional one (`dropout_(self)`, `dropout(input)`), positions do not;
 * a dtype that an `out=` overload does not have is that of its output.
 */
export function functionalArguments(schema: OpSchema, functional: OpDefinition, given: BoundArgs): BoundArgs {
  const output = schema.args.find(isOutput);
  const known = functional.schema.args.map(({ name, kwargOnly }, i) => {
    if (Object.hasOwn(given, name))
      return [name, takesOutputDType(schema, functional, name, given, output)] as const;
    if (output === undefined) return [name, given[schema.args[i]?.name ?? name]] as const;
    return [name, kwargOnly && name === "dtype" ? (given[output.name] as FakeTensor).dtype : null] as const;
  });
  return Object.fromEntries(known);
}

/** Sums and the like compute in the dtype of their output. */
function takesOutputDType(
  { target }: OpSchema,
  functional: OpDefinition,
  name: string,
  given: BoundArgs,
  output: SchemaArgument | undefined,
): unknown {
  const value = given[name];
  if (name !== "dtype" || value !== null || output === undefined) return value;
  const out = given[output.name] as FakeTensor;
  return computesInOutput(target, functional, out, inputOf(given)) ? out.dtype : value;
}

/**
 * Results of a writing overload from those of its functional one (its own results first, then the
 * new values of what is written): written arguments are returned themselves, resized when they are
 * outputs of another size.
 *
 * @throws SconceError `DTYPE_MISMATCH`
 */
function writtenResults(
  schema: OpSchema,
  functional: OpDefinition,
  given: BoundArgs,
  result: MetaValue,
  env: SymEnv,
): MetaValue {
  const results = Array.isArray(result) ? (result as readonly MetaValue[]) : [result];
  const written = writtenArguments(schema);
  const first = results.length - written.length;
  const values = new Map(
    written.map(
      (arg, i) =>
        [arg.alias!.set, afterWrite(schema, arg, given, results[first + i]!, functional, env)] as const,
    ),
  );
  let next = 0;
  const returned = schema.returns.map((ret) => (ret.alias ? values.get(ret.alias.set)! : results[next++]!));
  return returned.length === 1 ? returned[0]! : returned.length === 0 ? null : returned;
}

/** Returns the first tensor. */
const inputOf = (given: BoundArgs): FakeTensor | undefined =>
  Object.values(given).find((value): value is FakeTensor => isTensorLike(value));

function afterWrite(
  schema: OpSchema,
  arg: SchemaArgument,
  given: BoundArgs,
  value: MetaValue,
  functional: OpDefinition,
  env: SymEnv,
): MetaValue {
  const target = given[arg.name];
  if (!(target instanceof FakeTensor) || !(value instanceof FakeTensor)) return value;
  if (!isOutput(arg)) return target;
  const isGiven = (given["dtype"] ?? null) !== null;
  refuseOutputDType(schema.target, functional, value, target, inputOf(given), isGiven);
  const isSame = sizesEqual(target.shape, value.shape, env);
  const called = { target: schema.target, schema, tags: functional.tags };
  // Loops look at the output before it is resized.
  if (isSame || iteratesOutput(called)) checkPlaces(target, schema.name);
  refuseOutputOperand(called, given, target, value.shape, isSame);
  if (isSame) return target;
  return fake({ dtype: target.dtype, shape: value.shape, strides: value.strides, like: target });
}
