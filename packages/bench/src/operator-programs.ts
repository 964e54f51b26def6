/** @file Calls of operators as programs, which any backend runs. */
import { createEvaluator } from "@sconce/backend-cpu";
import type { Value } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import { argumentsOf, type OperatorCase } from "./operator-cases.js";

/** A call that a backend compiled. */
interface CompiledCall {
  /** Runs it once, on inputs in the memory of the backend; the results stay there. */
  readonly run: () => Promise<void>;
  /** Why the interpreter runs it, where it does. */
  readonly reason: string | undefined;
  readonly dispose: () => void;
}

/** Compiles a call for a backend of a session. */
export async function compiledCall(
  one: OperatorCase,
  session: Sconce,
  backend: string,
): Promise<CompiledCall> {
  const { text, inputs } = programOf(one);
  const executable = await session.compile(session.parseIr(text), backend);
  const here: Value[] = [];
  for (const input of inputs) here.push((await executable.toDevice?.(input)) ?? input);
  const run = async (): Promise<void> => {
    const results = await executable.run(here, { results: "device" });
    for (const result of results) if (result instanceof Tensor) result.dispose();
  };
  await run();
  const host = executable.placement?.().nodes.find(({ place }) => place === "host");
  return { run, reason: host?.reason, dispose: () => executable.dispose() };
}

/**
 * Returns a program of one call as IR text, and its inputs. Tensors that are permuted are so within
 * it.
 */
function programOf(one: OperatorCase): { readonly text: string; readonly inputs: readonly Tensor[] } {
  const { args, kwargs } = argumentsOf(one);
  const inputs: Tensor[] = [];
  const lines: string[] = [];
  const shown = (value: unknown): string => {
    if (value === null || value === undefined) return "none";
    if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
    if (value instanceof Tensor) return shownTensor(value, inputs, lines);
    if (typeof value === "string") return JSON.stringify(value);
    if (typeof value !== "object") return String(value);
    const { kind, ...rest } = value as { readonly kind: string };
    const [given] = Object.values(rest) as [number | string];
    if (kind === "memory_format") return `format(${given})`;
    return kind === "float" && Number.isInteger(given) ? `${given}.0` : String(given);
  };
  const given = [
    ...args.map(shown),
    ...Object.entries(kwargs).map(([key, value]) => `${key}=${shown(value)}`),
  ];
  const value = createEvaluator()(one.target, args as never, kwargs);
  const results = (Array.isArray(value) ? value : [value]) as readonly Tensor[];
  const names = results.map((_, i) => `%y${i}`);
  if (Array.isArray(value)) {
    lines.push(`%all: (${results.map(typeOf).join(", ")}) = ${one.target}(${given.join(", ")})`);
    results.forEach((result, i) => {
      lines.push(`${names[i]}: ${typeOf(result)} = operator.getitem(%all, ${i})`);
    });
  } else lines.push(`%y0: ${typeOf(value as Tensor)} = ${one.target}(${given.join(", ")})`);
  const text = `sconce-ir 1
program "TRAINING" {
  ${inputs.map((_, i) => `input %x${i}: USER_INPUT`).join("\n  ")}
  ${names.map((name) => `output ${name}: USER_OUTPUT`).join("\n  ")}
}
graph(${inputs.map((input, i) => `%x${i}: ${typeOf(input)}`).join(", ")}) {
  ${lines.join("\n  ")}
  return (${names.join(", ")})
}`;
  return { text, inputs };
}

/** Adds an input; returns its name, or that of its permuted view. */
function shownTensor(tensor: Tensor, inputs: Tensor[], lines: string[]): string {
  const name = `%x${inputs.length}`;
  const order = tensor.shape.map((_, d) => d).sort((a, b) => tensor.strides[b]! - tensor.strides[a]!);
  if (order.every((d, at) => d === at)) {
    inputs.push(tensor);
    return name;
  }
  const back = order.map((_, d) => order.indexOf(d));
  const pick = (from: readonly number[]): number[] => order.map((d) => from[d]!);
  inputs.push(tensor.asStrided(pick(tensor.shape), pick(tensor.strides), 0));
  lines.push(`${name}_view: ${typeOf(tensor)} = aten.permute.default(${name}, [${back.join(", ")}])`);
  return `${name}_view`;
}

/** `f32[2, 3]`. */
function typeOf({ dtype, shape }: Tensor): string {
  const { kind, itemSize } = dtypeInfo(dtype);
  const letter = { bool: "b", int: "i", float: "f", complex: "c" }[
    kind as "bool" | "int" | "float" | "complex"
  ];
  return `${letter}${8 * itemSize}[${shape.join(", ")}]`;
}
