/** @file What a plugin's functions give back, held against the schema of the operator that they are for. */
import { FakeTensor, type OpSchema, type SchemaType } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";

/** Why a result of a shape rule, a decomposition or a kernel is none; undefined when it may be one. */
export function resultProblem(schema: OpSchema | undefined, value: unknown): string | undefined {
  if (value instanceof Promise) return "gave a promise; it must give its result at once";
  const returns = schema?.returns ?? [];
  if (returns.length === 0) return undefined;
  if (returns.length === 1) {
    return fits(returns[0]!.type, value)
      ? undefined
      : `gave ${told(value)} where its schema says ${text(schema!)}`;
  }
  const right =
    Array.isArray(value) &&
    value.length === returns.length &&
    value.every((item, i) => item === null || fits(returns[i]!.type, item));
  return right ? undefined : `gave ${told(value)} where its schema says ${text(schema!)}`;
}

/** Only tensors are told from the rest: of numbers there are plain, tagged and symbolic ones. */
function fits({ base, list, optional }: SchemaType, value: unknown): boolean {
  if (value === undefined || typeof value === "function") return false;
  if (value === null) return optional || base !== "Tensor";
  if (list) return Array.isArray(value);
  return base !== "Tensor" || value instanceof FakeTensor || value instanceof Tensor;
}

const text = ({ returns }: OpSchema): string => {
  const types = returns.map(
    ({ type: { base, list, optional } }) => `${base}${list ? "[]" : ""}${optional ? "?" : ""}`,
  );
  return types.length === 1 ? types[0]! : `(${types.join(", ")})`;
};

function told(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
