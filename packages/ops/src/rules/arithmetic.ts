/** @file Python's operators on tensors, as the calls that they are recorded as. */
import { FakeTensor } from "@sconce/ir";
import type { Emit, EmitArg } from "../rows/emit.js";

/**
 * Python arithmetic on tensors; a number on the left is handled as Python's reflected operators do.
 */
export class Arithmetic {
  constructor(readonly emit: Emit) {}
  mul(a: FakeTensor, b: EmitArg): FakeTensor {
    return this.emit("aten.mul.Tensor", [a, b]);
  }
  add(a: FakeTensor, b: EmitArg): FakeTensor {
    return this.emit("aten.add.Tensor", [a, b]);
  }
  sub(a: FakeTensor, b: EmitArg): FakeTensor {
    return this.emit("aten.sub.Tensor", [a, b]);
  }
  div(a: FakeTensor, b: EmitArg): FakeTensor {
    return this.emit("aten.div.Tensor", [a, b]);
  }
  /** `number - a` */
  minus(value: EmitArg, a: FakeTensor): FakeTensor {
    return this.emit("aten.rsub.Scalar", [a, value]);
  }
  unary(name: string, a: FakeTensor): FakeTensor {
    return this.emit(`aten.${name}.default`, [a]);
  }
  compare(name: "lt" | "le" | "gt" | "ge", a: FakeTensor, b: EmitArg): FakeTensor {
    return this.emit(`aten.${name}.Scalar`, [a, b]);
  }
  /** `where` with a number or a tensor on either side. */
  where(mask: FakeTensor, a: EmitArg, b: EmitArg): FakeTensor {
    const left = a instanceof FakeTensor ? "" : "Self";
    const right = b instanceof FakeTensor ? "" : "Other";
    const overload = left && right ? "Scalar" : left || right ? `Scalar${left}${right}` : "self";
    return this.emit(`aten.where.${overload}`, [mask, a, b]);
  }
}
