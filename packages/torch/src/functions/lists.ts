/** @file Python functions that take any number of tensors, or one list of them. */
import { describeValue } from "@sconce/errors";
import { invalidArgument } from "./errors.js";
import { callTorch } from "./function-tables.js";
import { type Keywords, splitKeywords } from "./parse-call.js";
import { named } from "./python-function.js";

type Variadic = (...given: readonly unknown[]) => unknown;

/** `f(a, b)` and `f([a, b])` give one list of tensors; a single tensor may stay as it is. */
const tensorsOf = (args: readonly unknown[], keepsSingle: boolean): unknown => {
  if (args.length !== 1) return args;
  return Array.isArray(args[0]) || keepsSingle ? args[0] : args;
};

const variadic =
  (name: string, keepsSingle = false): Variadic =>
  (...given) => {
    const { args, kwargs } = splitKeywords(given);
    return named(
      name,
      "function",
      () => callTorch(name, [tensorsOf(args, keepsSingle)], kwargs),
      `torch.functional.${name}`,
    );
  };

const subscript = (place: unknown): string => {
  if (place === "...") return "...";
  if (typeof place !== "number" || !(place >= 0 && place < 52))
    throw invalidArgument(
      "torch.einsum",
      `the subscript ${String(place)} is not in 0 to 51`,
      "use smaller numbers",
    );
  return String.fromCharCode(place < 26 ? 65 + place : 97 + place - 26);
};

/** `einsum(x, [0, 1], y, [1, 2], [0, 2])` as an equation. */
function sublists(args: readonly unknown[]): readonly [string, readonly unknown[]] {
  const text = (places: unknown): string => {
    if (Array.isArray(places)) return places.map(subscript).join("");
    throw invalidArgument(
      "torch.einsum",
      `the subscripts are ${describeValue(places)}`,
      "give an equation, or a list of subscripts behind each tensor",
    );
  };
  const hasOutput = args.length % 2 === 1;
  const operands = args.filter((_, i) => i % 2 === 0 && !(hasOutput && i === args.length - 1));
  const inputs = args
    .filter((_, i) => i % 2 === 1)
    .map(text)
    .join(",");
  return [hasOutput ? `${inputs}->${text(args.at(-1))}` : inputs, operands];
}

/** `torch.einsum(equation, ...operands)`, also with a list of operands and with subscripts. */
function einsum(...args: readonly unknown[]): unknown {
  if (args.length < 2)
    throw invalidArgument(
      "torch.einsum",
      "an operand is missing",
      "give an equation and at least one tensor",
    );
  const [equation, operands] = typeof args[0] === "string" ? [args[0], args.slice(1)] : sublists(args);
  const list = operands.length === 1 && Array.isArray(operands[0]) ? operands[0] : operands;
  return named("einsum", "function", () => callTorch("einsum", [equation, list]), "torch.functional.einsum");
}

/** `torch.meshgrid(...tensors, { indexing })`. */
function meshgrid(...given: readonly unknown[]): unknown {
  const { args, kwargs } = splitKeywords(given);
  const { indexing, ...rest } = kwargs as { readonly indexing?: string | null };
  const options: Keywords = indexing === undefined || indexing === null ? rest : { ...rest, indexing };
  return named(
    "meshgrid",
    "function",
    () => callTorch("meshgrid", [tensorsOf(args, false)], options),
    "torch.functional.meshgrid",
  );
}

/** The functions by camelCase name. */
export const LIST_FUNCTIONS: Readonly<Record<string, Variadic>> = {
  atleast1d: variadic("atleast_1d", true),
  atleast2d: variadic("atleast_2d", true),
  atleast3d: variadic("atleast_3d", true),
  blockDiag: variadic("block_diag"),
  broadcastTensors: variadic("broadcast_tensors"),
  cartesianProd: variadic("cartesian_prod"),
  chainMatmul: variadic("chain_matmul"),
  einsum,
  meshgrid,
};
