/** @file Kernels as functions of WebAssembly: each value and each variable is a local. */
import {
  elementOf,
  forEachStatement,
  type KernelBlock,
  type KernelLiteral,
  type KernelMemory,
  type KernelOperand,
  type KernelStatement,
  type KernelValue,
  type KernelVariable,
  type LetStatement,
  operandsOf,
  widthOf,
} from "@sconce/codegen";
import { dtypeInfo } from "@sconce/tensor";
import type { FunctionBuilder, Instruction, Label, Local } from "@sconce/wasm";
import { castOperation } from "./casts.js";
import { complexOperation } from "./complex.js";
import { notEmitted } from "./core/errors.js";
import type { SharedFunctions } from "./core/shared-functions.js";
import { isHalf, isUnsigned, localType, numberType } from "./core/types.js";
import { loadElement, type MemoryPlace, pushAddress, storeElement } from "./elements.js";
import { floatOperation, isFloatType, pushFloat } from "./floats.js";
import { integerOperation } from "./integers.js";
import { knownPlaces, type Place } from "./offsets.js";
import type { Operation } from "./operation.js";
import type { Constants } from "./vector/constants.js";
import { loadFour, storeFour } from "./vector/four-elements.js";
import { VectorWriter } from "./vector/lines.js";
import { fourOperation } from "./vector/operations.js";

/** Where a kernel is printed. */
export interface PrinterInit {
  readonly f: FunctionBuilder;
  readonly functions: SharedFunctions;
  readonly constants: Constants;
  readonly memories: ReadonlyMap<KernelMemory, MemoryPlace>;
  /** The statements that will be printed. */
  readonly body: KernelBlock;
  /** Holds the number of the unit. */
  readonly unit: Local;
  /** Hold the sizes that the kernel gets, by their texts. */
  readonly sizes: ReadonlyMap<string, Local>;
}

/** Prints statements of one kernel. */
export class KernelPrinter {
  readonly #f: FunctionBuilder;
  readonly #helpers: SharedFunctions;
  readonly #vectors: VectorWriter;
  readonly #memories: ReadonlyMap<KernelMemory, MemoryPlace>;
  readonly #unit: Local;
  readonly #sizes: ReadonlyMap<string, Local>;
  readonly #locals = new Map<KernelOperand, Local>();
  /** Casts to halves that go to memory alone, which rounds them. */
  readonly #unrounded: ReadonlySet<KernelOperand>;
  readonly #places: (at: KernelOperand) => Place;
  /** Ends of the loops around. */
  readonly #ends: Label[] = [];

  constructor({ f, functions, constants, memories, unit, sizes, body }: PrinterInit) {
    this.#unrounded = storedHalves(body);
    this.#places = knownPlaces(body);
    this.#f = f;
    this.#helpers = functions;
    this.#vectors = new VectorWriter(f, functions, constants);
    this.#memories = memories;
    this.#unit = unit;
    this.#sizes = sizes;
  }

  block(block: KernelBlock): void {
    for (const statement of block) this.#statement(statement);
  }

  #define(value: KernelValue | KernelVariable): void {
    let local = this.#locals.get(value);
    if (local === undefined) {
      local = this.#f.local(localType(value.type));
      this.#locals.set(value, local);
    }
    this.#f.set(local);
  }
  #push(operand: KernelOperand): void {
    if (operand.kind !== "literal") this.#f.get(this.#locals.get(operand)!);
    else if (widthOf(operand.type) === 1) pushLiteral(this.#f, operand);
    else if (isFloatType(elementOf(operand.type))) this.#vectors.number(Number(operand.value))();
    else this.#vectors.whole(Number(BigInt.asIntN(32, wholeOf(operand))))();
  }

  #statement(statement: KernelStatement): void {
    switch (statement.kind) {
      case "let":
        this.#let(statement);
        this.#define(statement.value);
        return;
      case "load": {
        const offset = this.#address(statement.memory, statement.at);
        const type = elementOf(statement.memory.type);
        if (widthOf(statement.value.type) === 4) loadFour(this.#f, this.#vectors, type, offset);
        else loadElement(this.#f, this.#helpers, type, offset);
        this.#define(statement.value);
        return;
      }
      case "store": {
        const { memory, value } = statement;
        const offset = this.#address(memory, statement.at);
        this.#push(value);
        if (value.type === "float64" && memory.type === "float32") this.#f.op("f32.demote_f64");
        if (widthOf(value.type) === 4) storeFour(this.#f, this.#vectors, elementOf(memory.type), offset);
        else storeElement(this.#f, this.#helpers, elementOf(memory.type), offset);
        return;
      }
      case "variable":
        this.#push(statement.initial);
        this.#define(statement.variable);
        return;
      case "assign":
        this.#push(statement.value);
        this.#define(statement.variable);
        return;
      case "for":
        this.#for(statement);
        return;
      case "loop":
        this.#loop(statement.body);
        return;
      case "if":
        this.#if(statement);
        return;
      case "break":
        this.#push(statement.condition);
        this.#f.brIf(this.#ends.at(-1)!);
        return;
      case "barrier":
        throw notEmitted(statement.kind);
    }
  }
  #address(memory: KernelMemory, at: KernelOperand): number {
    const place = this.#places(at);
    return pushAddress(this.#f, this.#memories.get(memory)!, memory, place, (one) => this.#push(one));
  }

  #if({ condition, then, otherwise }: Extract<KernelStatement, { kind: "if" }>): void {
    this.#push(condition);
    if (otherwise.length === 0) this.#f.if(() => this.block(then));
    else
      this.#f.if(
        () => this.block(then),
        () => this.block(otherwise),
      );
  }
  #for({ counter, start, end, step, body }: Extract<KernelStatement, { kind: "for" }>): void {
    const f = this.#f;
    this.#push(start);
    this.#define(counter);
    const isKnown = start.kind === "literal" && end.kind === "literal" && start.value < end.value;
    f.block((done) => {
      if (!isKnown) {
        this.#push(counter);
        this.#push(end);
        f.op("i32.ge_s").brIf(done);
      }
      this.#ends.push(done);
      f.loop((next) => {
        this.block(body);
        this.#push(counter);
        f.i32(step).op("i32.add").tee(this.#locals.get(counter)!);
        this.#push(end);
        f.op("i32.lt_s").brIf(next);
      });
      this.#ends.pop();
    });
  }
  #loop(body: KernelBlock): void {
    this.#f.block((done) => {
      this.#ends.push(done);
      this.#f.loop((next) => {
        this.block(body);
        this.#f.br(next);
      });
      this.#ends.pop();
    });
  }

  #let(statement: LetStatement): void {
    const { op, args, value, detail } = statement;
    const f = this.#f;
    if (this.#unrounded.has(value)) {
      this.#push(args[0]!);
      return;
    }
    if ([value, ...args].some((one) => widthOf(one.type) === 4)) {
      fourOperation(this.#vectors, statement, (operand) => this.#push(operand));
      return;
    }
    if (op === "thread") {
      if (detail !== 0) throw notEmitted(`axis ${detail} of threads`);
      f.get(this.#unit);
      return;
    }
    if (op === "size") {
      f.get(this.#sizes.get(String(detail))!);
      return;
    }
    if (op === "select") {
      this.#push(args[1]!);
      this.#push(args[2]!);
      this.#push(args[0]!);
      f.op("select");
      return;
    }
    if (op === "wide_add" || op === "wide_sub") {
      this.#wide(op, args);
      return;
    }
    if (op === "complex" || op === "real" || op === "imag") {
      for (const operand of args) this.#push(operand);
      complexOperation(f, op);
      return;
    }
    const type = elementOf(args[0]?.type ?? "index");
    const push = (at: number): void => this.#push(args[at]!);
    const number = numberType(type);
    const out = elementOf(value.type);
    const operation: Operation = { f, helpers: this.#helpers, op, type, number, out, push };
    if (op === "cast") {
      castOperation(operation);
      return;
    }
    if (type === "complex64") throw notEmitted(`${op} of ${type}`);
    const isWritten = isFloatType(type) ? floatOperation(operation) : integerOperation(operation);
    if (!isWritten) throw notEmitted(`${op} of ${type}`);
    // Arithmetic that is read in a wider type than its operands.
    if (out !== "bool" && numberType(out) !== number)
      f.op(`${numberType(out)}.${number === "f32" ? "promote_f32" : "demote_f64"}` as Instruction);
  }
  /** Places wrap, as addresses do. */
  #wide(op: "wide_add" | "wide_sub", [a, b, c]: readonly KernelOperand[]): void {
    this.#push(c!);
    this.#push(a!);
    this.#push(b!);
    this.#f.op("i32.mul", op === "wide_add" ? "i32.add" : "i32.sub");
  }
}

/** Casts of float32 to halves that stores alone read. */
function storedHalves(body: KernelBlock): ReadonlySet<KernelOperand> {
  const found = new Set<KernelOperand>();
  forEachStatement(body, (statement) => {
    if (statement.kind !== "let" || statement.op !== "cast") return;
    const [from, to] = [statement.args[0]!.type, statement.value.type].map(elementOf);
    if (from === "float32" && isHalf(to!)) found.add(statement.value);
  });
  forEachStatement(body, (statement) => {
    if (statement.kind !== "store") for (const operand of operandsOf(statement)) found.delete(operand);
  });
  return found;
}

/** Puts a known number on the stack. */
function pushLiteral(f: FunctionBuilder, literal: KernelLiteral): void {
  const { value, type } = literal;
  const element = elementOf(type);
  const number = numberType(element);
  if (isFloatType(element)) pushFloat(f, number, Number(value));
  else if (element === "bool") f.i32(value ? 1 : 0);
  else if (number === "i64") f.i64(wholeOf(literal));
  else f.i32(Number(BigInt.asIntN(32, wholeOf(literal))));
}
/** Returns a known integer. */
function wholeOf({ value, type }: KernelLiteral): bigint {
  if (typeof value === "number" && !Number.isFinite(value)) return limitOf(elementOf(type), value);
  return BigInt(value);
}
/** Returns an infinity as an integer: the greatest or the least. */
function limitOf(type: ReturnType<typeof elementOf>, value: number): bigint {
  const bits = type === "index" ? 32 : 8 * dtypeInfo(type).itemSize;
  const signed = type === "index" || !isUnsigned(type);
  const count = BigInt(signed ? bits - 1 : bits);
  if (value > 0) return 2n ** count - 1n;
  return signed ? -(2n ** count) : 0n;
}
