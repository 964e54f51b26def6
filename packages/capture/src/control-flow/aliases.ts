/** @file Which tensors of a nested graph share memory, and which calls write to it. */
import type { OpSchema } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import type { OperatorArgument, OperatorKeywords, OperatorResult } from "../trace/dispatch.js";
import { TracedTensor } from "../trace/traced-tensor.js";

/** Calls whose result is a view only where the layout allows it. */
const MAYBE_VIEWS = /^aten\.(?:reshape|flatten|ravel|reshape_as)\./;
/** Calls that return the operand itself or a copy. */
const MAYBE_COPIES = /^aten\.(?:contiguous|to|type_as|_to_copy)\./;

/** Memory by the tensors that lie in it. */
export class Aliases {
  readonly #memory = new Map<Tensor, object>();
  readonly #inputs = new Set<object>();

  /** The memory of a tensor. One that is not known comes from outside. */
  memoryOf(tensor: Tensor): object {
    let memory = this.#memory.get(tensor);
    if (memory === undefined) {
      memory = tensor;
      this.#memory.set(tensor, memory);
      this.#inputs.add(memory);
    }
    return memory;
  }

  /** Takes note of a tensor with new memory. */
  own(tensor: Tensor): void {
    this.#memory.set(tensor, tensor);
  }

  /** Whether a tensor lies in memory that an input has. */
  isInput(tensor: Tensor): boolean {
    return this.#inputs.has(this.memoryOf(tensor));
  }

  /** Tensors that a call writes to. */
  written(schema: OpSchema, args: readonly OperatorArgument[], kwargs: OperatorKeywords): Tensor[] {
    return schema.args.flatMap((parameter, i) =>
      parameter.alias?.write === true ? tensorsIn(argumentAt(parameter, i, args, kwargs)) : [],
    );
  }

  /** Takes note of the results of a call. */
  note(
    target: string,
    schema: OpSchema,
    args: readonly OperatorArgument[],
    kwargs: OperatorKeywords,
    result: OperatorResult,
  ): void {
    const results = schema.returns.length === 1 ? [result] : (result as readonly OperatorResult[]);
    schema.returns.forEach(({ alias }, place) => {
      const source =
        alias === undefined || alias === null
          ? undefined
          : schema.args.findIndex((parameter) => parameter.alias?.set === alias.set);
      const operands =
        source === undefined || source < 0
          ? []
          : tensorsIn(argumentAt(schema.args[source]!, source, args, kwargs));
      for (const tensor of tensorsIn(results[place])) this.#noteResult(tensor, target, operands[0]);
    });
  }

  #noteResult(tensor: Tensor, target: string, operand: Tensor | undefined): void {
    // An operand that is returned stays where it is.
    if (this.#memory.has(tensor)) return;
    const isView =
      operand !== undefined &&
      !MAYBE_COPIES.test(target) &&
      (!MAYBE_VIEWS.test(target) || sharesLayout(operand));
    this.#memory.set(tensor, isView ? this.memoryOf(operand) : tensor);
  }
}

/** Whether the elements of a tensor lie in order, so that any new shape is a view. */
function sharesLayout(tensor: Tensor): boolean {
  if (!(tensor instanceof TracedTensor)) return true;
  const { strides } = tensor.fake;
  const numbers = strides.filter((stride) => typeof stride === "number");
  return strides.length === 0 || numbers.length < strides.length || strides.at(-1) === 1;
}

const argumentAt = (
  { name, kwargOnly }: OpSchema["args"][number],
  at: number,
  args: readonly OperatorArgument[],
  kwargs: OperatorKeywords,
): unknown => (kwargOnly || at >= args.length ? kwargs[name] : args[at]);

function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof Tensor) return [value];
  return Array.isArray(value) ? value.flatMap(tensorsIn) : [];
}
