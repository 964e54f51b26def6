/** @file Dynamic sizes from more example inputs (`torch.export.AdditionalInputs`). */
import { Tensor } from "@sconce/tensor";
import { binderOf, type Called } from "./call-inputs.js";
import type { DynamicShapes, NamedInputs } from "./check-shapes.js";
import { Dim } from "./dim.js";
import { badDynamicShapes } from "./errors.js";
import { childOf, containerOf, pythonText, pythonType } from "./tree.js";

/** Arguments of one call, as a user passes them. */
export interface ExampleCall {
  /** Positional arguments. */
  readonly args: readonly unknown[];
  /** Keyword arguments; undefined where there are none. */
  readonly kwargs: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The specification of further inputs for inputs that are bound to names.
 *
 * @param bind binds a call to the names of the parameters, as the inputs of the export were bound
 */
export let mergedShapes: (
  additional: AdditionalInputs,
  inputs: NamedInputs,
  bind: (call: ExampleCall) => NamedInputs,
) => DynamicShapes;

/**
 * Example inputs besides those of the export: sizes and integers that differ are dynamic, others
 * are static.
 */
export class AdditionalInputs {
  readonly #examples: ExampleCall[] = [];

  /** The calls that were added, in order. The exported program has to accept each. */
  get examples(): readonly ExampleCall[] {
    return this.#examples;
  }

  /**
   * Adds the arguments of one more call.
   *
   * @throws SconceError `BAD_DYNAMIC_SHAPES` unless `args` is a list and `kwargs` an object
   */
  add(args: readonly unknown[], kwargs?: Readonly<Record<string, unknown>>): this {
    if (!Array.isArray(args))
      throw badDynamicShapes(
        `Representative args ${pythonText(args)} must be a tuple`,
        "pass the positional arguments as a list: `inputs.add([x, y])`",
      );
    if (kwargs !== undefined && containerOf(kwargs)?.kind !== "dict")
      throw badDynamicShapes(
        `Representative kwargs ${pythonText(kwargs)} must be None or a dict`,
        "pass the keyword arguments as an object",
      );
    this.#examples.push({ args, kwargs });
    return this;
  }

  /**
   * Returns the specification for a call of a model: `Dim.DYNAMIC` where the examples differ, null
   * elsewhere. `exportProgram` takes the examples themselves, too: `{ dynamicShapes: inputs }`.
   *
   * @param model a module, or a function
   * @param args the positional arguments of the export
   * @throws SconceError `BAD_DYNAMIC_SHAPES` for examples that differ in anything but sizes and
   * integers, and for other arguments
   */
  dynamicShapes(
    model: Called,
    args: readonly unknown[],
    kwargs?: Readonly<Record<string, unknown>>,
  ): DynamicShapes {
    const bind = binderOf("AdditionalInputs.dynamicShapes", model);
    return this.#for(bind(args, kwargs), (call) => bind(call.args, call.kwargs));
  }

  static {
    mergedShapes = (additional, inputs, bind) => additional.#for(inputs, bind);
  }

  #for(inputs: NamedInputs, bind: (call: ExampleCall) => NamedInputs): DynamicShapes {
    const others = this.#examples.map((example) => Object.fromEntries(bind(example).args));
    return merge("", Object.fromEntries(inputs.args), others) as DynamicShapes;
  }
}

function merge(path: string, value: unknown, others: readonly unknown[]): unknown {
  if (value instanceof Tensor) return mergeTensors(value, others);
  const level = containerOf(value);
  if (level === undefined) return mergeLeaf(value, others);
  const levels = others.map((other) => containerOf(other));
  if (levels.some((other) => other?.kind !== level.kind || other.children.length !== level.children.length))
    throw badDynamicShapes(`the additional inputs have another structure at \`inputs${path}\``);
  const part = (other: unknown, i: number, position: number): unknown =>
    level.kind === "registered" ? levels[position]!.children[i] : childOf(other, level.keys[i]!);
  const children = level.children.map((child, i) =>
    merge(
      path + level.steps[i]!,
      child,
      others.map((other, position) => part(other, i, position)),
    ),
  );
  if (level.kind !== "dict") return children;
  const entries = level.keys.map((key, i) => [key, children[i]] as const);
  return value instanceof Map ? new Map(entries) : Object.fromEntries(entries);
}

function mergeTensors(tensor: Tensor, others: readonly unknown[]): unknown {
  const shapes = others.map((other) => (other instanceof Tensor ? other.shape : undefined));
  if (shapes.some((shape) => shape === undefined)) throw differentTypes([tensor, ...others]);
  if (shapes.some((shape) => shape!.length !== tensor.shape.length))
    throw badDynamicShapes(
      `the additional inputs have tensors of ${shapes.map((shape) => shape!.length).join(", ")} dimensions for one of ${tensor.shape.length}`,
    );
  return tensor.shape.map((size, dim) =>
    mergeLeaf(
      size,
      shapes.map((shape) => shape![dim]),
    ),
  );
}

function mergeLeaf(value: unknown, others: readonly unknown[]): unknown {
  if (others.some((other) => pythonType(other) !== pythonType(value)))
    throw differentTypes([value, ...others]);
  if (others.every((other) => Object.is(other, value))) return null;
  if (pythonType(value) === "<class 'int'>") return Dim.DYNAMIC;
  throw badDynamicShapes(
    `The following inputs were found to have differing values, but they cannot be marked as dynamic: ${tupleText([value, ...others])}.`,
    "pass the same value in all examples",
  );
}

const differentTypes = (values: readonly unknown[]): Error =>
  badDynamicShapes(
    `The following inputs were found to have differing types, so they cannot be marked as dynamic: ${tupleText(values)}.`,
    "pass values of one type in all examples",
  );

const tupleText = (values: readonly unknown[]): string => {
  const parts = values.map((value) => pythonText(value, true));
  return parts.length === 1 ? `(${parts[0]!},)` : `(${parts.join(", ")})`;
};
