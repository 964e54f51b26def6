/** @file What the code of one operation is made from. */
import type { ElementType } from "@sconce/codegen";
import type { FunctionBuilder, Instruction } from "@sconce/wasm";
import type { SharedFunctions } from "./core/shared-functions.js";
import type { NumberType } from "./core/types.js";

/** One operation on numbers, under construction. */
export interface Operation {
  readonly f: FunctionBuilder;
  readonly helpers: SharedFunctions;
  readonly op: string;
  /** The type of the first operand. */
  readonly type: ElementType;
  /** What it is computed in. */
  readonly number: NumberType;
  /** The type of the result. */
  readonly out: ElementType;
  /** Puts an operand on the stack; an operation may do so several times. */
  readonly push: (at: number) => void;
}

/** Puts the first operands on the stack, then runs instructions of the type. */
export function direct({ f, number, push }: Operation, operands: number, ...names: readonly string[]): void {
  for (let at = 0; at < operands; at++) push(at);
  for (const name of names) f.op(`${number}.${name}` as Instruction);
}
