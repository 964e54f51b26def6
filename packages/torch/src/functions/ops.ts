/** @file `torch.ops`: every overload by its name, `torch.ops.aten.add.Tensor(x, y)`. */
import type { OpSchema } from "@sconce/ir";
import { defaultOperators, knownSchema } from "@sconce/ops";
import { currentTrace, type OperatorArgument } from "../trace/dispatch.js";
import { convert } from "./arguments.js";
import { callBound, type FunctionResult } from "./call-function.js";
import type { Operators } from "./operator-types.js";
import { overloadSignature, type Signature } from "./parameters.js";
import { parseCall, splitKeywords } from "./parse-call.js";

type Overload = (...given: readonly unknown[]) => FunctionResult;

const schemaOf = (target: string): OpSchema =>
  knownSchema(target) ?? defaultOperators().require(target).schema;

/** Returns the function of an overload; its schema is read when it is called first. */
function overload(target: string): Overload {
  let signature: Signature | undefined;
  const [, packet, name] = target.split(".") as [string, string, string];
  const call = (given: readonly unknown[]): FunctionResult => {
    signature ??= overloadSignature(schemaOf(target));
    const { args, kwargs } = splitKeywords(given);
    const { values } = parseCall(`torch.ops.${target}`, [signature], args, kwargs, given);
    const bound = new Map<string, OperatorArgument>();
    signature.parameters.forEach((parameter, i) => {
      const value = values[i];
      if (value !== undefined) bound.set(parameter.name, value === null ? null : convert(parameter, value));
    });
    return callBound(signature.schema, bound);
  };
  return (...given) => {
    const trace = currentTrace();
    const run = (): FunctionResult => call(given);
    return trace === undefined ? run() : trace.inFunction(`${packet}.${name}`, "OpOverload", run);
  };
}

type Packets = Record<string, Record<string, Overload>>;

function allOperators(): Readonly<Record<string, Packets>> {
  const namespaces: Record<string, Packets> = {};
  for (const target of defaultOperators().targets()) {
    const [namespace, packet, name] = target.split(".") as [string, string, string];
    namespaces[namespace] ??= {};
    namespaces[namespace][packet] ??= {};
    namespaces[namespace][packet][name] = overload(target);
  }
  return namespaces;
}

let made: Operators | undefined;

/** Returns every operator that Sconce knows, by namespace, name and overload; made on first use. */
export function operators(): Operators {
  made ??= allOperators() as unknown as Operators;
  return made;
}
