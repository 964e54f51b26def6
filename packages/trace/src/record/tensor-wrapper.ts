import { FakeTensor } from "@sconce/ir";

/** A tensor that wraps the value of a node. A write to the tensor replaces the value. */
export abstract class TensorWrapper extends FakeTensor {
  /** The value of a node that the tensor had when it was last read. */
  abstract get lastValue(): FakeTensor;
}
