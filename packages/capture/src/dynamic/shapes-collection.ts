/** @file Specifications by tensor, not by place (`torch.export.ShapesCollection`). */
import { Tensor } from "@sconce/tensor";
import { binderOf, type Called } from "./call-inputs.js";
import type { DynamicShapes, NamedInputs } from "./check-shapes.js";
import { badDynamicShapes } from "./errors.js";
import { containerOf, mapTree, pythonText, pythonType } from "./tree.js";

/** What one tensor may be assigned. */
export type TensorShape =
  | readonly unknown[]
  | ReadonlyMap<number, unknown>
  | Readonly<Record<number, unknown>>;

/** The specification of a collection for inputs that are bound to names. */
export let collectedShapes: (collection: ShapesCollection, inputs: NamedInputs) => DynamicShapes;

/**
 * Assigns dynamic sizes to tensors of the inputs, wherever they are:
 * `collection.set(x, { 0: batch })`.
 */
export class ShapesCollection {
  readonly #shapes = new Map<Tensor, TensorShape | null>();

  /** The number of tensors that were assigned sizes. */
  get size(): number {
    return this.#shapes.size;
  }

  /**
   * Assigns sizes to a tensor of the inputs, which is known by its identity.
   *
   * @throws SconceError `BAD_DYNAMIC_SHAPES` for anything but a tensor, and when the tensor was
   * assigned other sizes
   */
  set(tensor: Tensor, shape: TensorShape | null): this {
    if (!(tensor instanceof Tensor))
      throw badDynamicShapes(
        `Cannot assign shape to non-tensor or non-_IntWrapper type ${pythonType(tensor)}`,
        "assign sizes to the tensors that are passed as inputs",
      );
    const known = this.#shapes.get(tensor);
    if (known !== undefined && !sameSpec(known, shape))
      throw badDynamicShapes(
        `Shapes assigned to input do not match: expected ${pythonText(known)}, got ${pythonText(shape)}`,
        "assign the sizes of a tensor once",
      );
    this.#shapes.set(tensor, known ?? shape);
    return this;
  }

  /**
   * Returns the sizes of a tensor by dimension, to be filled in:
   * `collection.get(x).set(0, Dim.AUTO)`.
   */
  get(tensor: Tensor): Map<number, unknown> {
    const known = this.#shapes.get(tensor);
    if (known instanceof Map) return known as Map<number, unknown>;
    const level = containerOf(known);
    const entries = new Map(level?.children.map((child, i) => [Number(level.keys[i]), child]));
    this.#shapes.set(tensor, entries);
    return entries;
  }

  /**
   * Returns the specification for a call of a model: what was assigned to each tensor, null
   * elsewhere. `exportProgram` takes the collection itself, too: `{ dynamicShapes: collection }`.
   *
   * @param model a module, or a function
   * @param args the positional arguments of the export, with the same tensor objects
   * @throws SconceError `BAD_DYNAMIC_SHAPES` when a tensor is not among the inputs, and for other
   * arguments
   */
  dynamicShapes(
    model: Called,
    args: readonly unknown[],
    kwargs?: Readonly<Record<string, unknown>>,
  ): DynamicShapes {
    return this.#for(binderOf("ShapesCollection.dynamicShapes", model)(args, kwargs));
  }

  static {
    collectedShapes = (collection, inputs) => collection.#for(inputs);
  }

  #for(inputs: NamedInputs): DynamicShapes {
    const found = new Set<unknown>();
    const visit = (_: string, leaf: unknown): unknown => {
      const shape = this.#shapes.get(leaf as Tensor);
      if (shape === undefined) return null;
      found.add(leaf);
      return shape;
    };
    const tree = Object.fromEntries(inputs.args);
    const shapes = mapTree(tree, tree, visit);
    if (found.size !== this.#shapes.size)
      throw badDynamicShapes(
        "Some tensors that were assigned shapes were not found in args. Maybe such tensors were copied when passing them as args? Maybe such tensors are contained in classes that were not registered with pytree?",
        "assign sizes to the same tensor objects that are passed to exportProgram",
      );
    return shapes as DynamicShapes;
  }
}

function sameSpec(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const [left, right] = [containerOf(a), containerOf(b)];
  if (left === undefined || right === undefined || left.kind !== right.kind) return false;
  return (
    left.children.length === right.children.length &&
    left.keys.every((key, i) => String(key) === String(right.keys[i])) &&
    left.children.every((child, i) => sameSpec(child, right.children[i]))
  );
}
