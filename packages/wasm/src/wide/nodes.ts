/** @file The instructions of a function, each with those whose values it takes. */
import { invalidCode } from "../errors.js";
import { effectOf, type Slot } from "./effects.js";
import { type FunctionBody, type FunctionType, Reader } from "./module-parts.js";

/** Encodings of control, locals and constants. */
export const OP = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  return: 0x0f,
  call: 0x10,
  drop: 0x1a,
  select: 0x1b,
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  getGlobal: 0x23,
  setGlobal: 0x24,
  size: 0x3f,
  i32: 0x41,
  i64: 0x42,
  f32: 0x43,
  f64: 0x44,
  copy: 0xfc0a,
  fill: 0xfc0b,
} as const;
/** The encoding of the type i32. */
export const I32 = 0x7f;

/** An instruction. */
export interface Node {
  /** The encoding of the instruction. */
  readonly op: number;
  /** Its bytes. */
  readonly start: number;
  readonly end: number;
  /** The index of a local or of a function, or a constant. */
  readonly immediate: number;
  /** Instructions whose values it takes; undefined after a branch, where there are none. */
  readonly operands: readonly (Node | undefined)[];
  readonly slots: readonly Slot[];
  /** Whether the first operand is an address. */
  readonly hasAddress: boolean;
  /** The block that it begins or ends, or that it carries a value to. */
  readonly block: Block | undefined;
  /** Whether its value has 64 bits. */
  isWide: boolean;
  /** What follows it, so that its value is of the type that is wanted. */
  after: "nothing" | "extend" | "wrap" | "test";
}

/** What the reader finds out about an instruction. */
type NodeInit = Partial<Pick<Node, "operands" | "slots" | "immediate" | "hasAddress" | "block">> & {
  /** Whether it puts a value on the stack. */
  readonly gives?: boolean;
};

/** A block, or the body of a function. */
export interface Block {
  /** Whether its value is a 32-bit integer. */
  readonly hasNumber: boolean;
  readonly hasResult: boolean;
  readonly isLoop: boolean;
  /** Values on the stack before it. */
  readonly height: number;
  /** Whether its value has 64 bits. */
  isWide: boolean;
}

/** The types of functions by their index. */
export type TypeOfFunction = (index: number) => FunctionType;

/** Reads the instructions of functions. */
export class NodeReader {
  readonly #from: Reader;
  readonly #typeOf: TypeOfFunction;
  readonly #nodes: Node[] = [];
  readonly #stack: Node[] = [];
  readonly #blocks: Block[] = [];
  readonly body: Block;

  constructor(bytes: Uint8Array, { start, type: { results } }: FunctionBody, typeOf: TypeOfFunction) {
    this.#from = new Reader(bytes, start);
    this.#typeOf = typeOf;
    this.body = this.#open(results.length > 0, results[0] === I32, false);
  }

  /** Returns the instructions up to the end of the function. */
  read(end: number): readonly Node[] {
    while (this.#from.at < end) this.#one();
    return this.#nodes;
  }

  #open(hasResult: boolean, hasNumber: boolean, isLoop: boolean): Block {
    const height = this.#stack.length;
    const block = { hasNumber, hasResult, isLoop, height, isWide: false };
    this.#blocks.push(block);
    return block;
  }
  #take(count: number): readonly (Node | undefined)[] {
    if (count === 0) return NONE;
    const { height } = this.#blocks.at(-1)!;
    const taken: (Node | undefined)[] = [];
    for (let i = this.#stack.length - count; i < this.#stack.length; i++)
      taken.push(i < height ? undefined : this.#stack[i]);
    this.#stack.length = Math.max(height, this.#stack.length - count);
    return taken;
  }

  #one(): void {
    const from = this.#from;
    const start = from.at;
    const first = from.byte();
    let op = first;
    if (first >= 0xfc) {
      const second = from.unsigned();
      op = second > 0xff ? (first << 12) | second : (first << 8) | second;
    }
    if (op === OP.end || op === OP.else) this.#end(op, start);
    else if (op === OP.block || op === OP.loop || op === OP.if) this.#begin(op, start);
    else if (op === OP.br || op === OP.brIf || op === OP.return) this.#branch(op, start);
    else this.#plain(op, start);
  }

  #add(op: number, start: number, init: NodeInit): void {
    const { operands = NONE, slots = NONE, immediate = 0, hasAddress = false, block, gives = false } = init;
    const node: Node = {
      op,
      start,
      end: this.#from.at,
      immediate,
      operands,
      slots,
      hasAddress,
      block,
      isWide: false,
      after: "nothing",
    };
    this.#nodes.push(node);
    if (gives) this.#stack.push(node);
  }

  #begin(op: number, start: number): void {
    const type = this.#from.byte();
    const operands = op === OP.if ? this.#take(1) : [];
    const block = this.#open(type !== 0x40, type === I32, op === OP.loop);
    this.#add(op, start, { operands, slots: operands.map(() => "i32"), block });
  }
  #end(op: number, start: number): void {
    const block = this.#blocks.at(-1)!;
    const operands = this.#take(block.hasResult ? 1 : 0);
    this.#stack.length = block.height;
    const slots = operands.map((): Slot => (block.hasNumber ? "i32" : "other"));
    if (op === OP.end) this.#blocks.pop();
    const gives = op === OP.end && block.hasResult && this.#blocks.length > 0;
    this.#add(op, start, { operands, slots, block, gives });
  }
  #branch(op: number, start: number): void {
    const isReturn = op === OP.return;
    const depth = isReturn ? this.#blocks.length - 1 : this.#from.unsigned();
    const block = this.#blocks.at(-1 - depth)!;
    const condition = op === OP.brIf ? this.#take(1) : [];
    const carries = block.hasResult && !block.isLoop;
    if (carries && op === OP.brIf)
      throw invalidCode("a condition decides on a branch with a value", "store the value in a local");
    const values = this.#take(carries ? 1 : 0);
    const slots: Slot[] = [...values.map((): Slot => (block.hasNumber ? "i32" : "other"))];
    this.#add(op, start, {
      operands: [...values, ...condition],
      slots: [...slots, ...condition.map((): Slot => "i32")],
      block: carries ? block : undefined,
    });
    if (op === OP.brIf) return;
    this.#stack.length = this.#blocks.at(-1)!.height;
  }

  #plain(op: number, start: number): void {
    const from = this.#from;
    const effect = effectOf(op);
    if (effect !== undefined) {
      const { takes: slots, gives, hasAddress, immediate } = effect;
      if (immediate.startsWith("memory")) for (let i = 0; i < 2; i++) from.unsigned();
      if (immediate.endsWith("lane")) from.byte();
      this.#add(op, start, {
        operands: this.#take(slots.length),
        slots,
        hasAddress,
        gives: gives !== undefined,
      });
      return;
    }
    const { slots, gives } = this.#special(op);
    const immediate = hasImmediate(op) ? (op === OP.i32 ? from.signed() : from.unsigned()) : 0;
    const given = slots ?? this.#slotsOf(immediate);
    const returns = op === OP.call ? this.#typeOf(immediate).results.length > 0 : gives;
    this.#add(op, start, { operands: this.#take(given.length), slots: given, immediate, gives: returns });
  }

  #slotsOf(called: number): readonly Slot[] {
    return this.#typeOf(called).params.map((type): Slot => (type === I32 ? "i32" : "other"));
  }
  /** Skips what follows locals, constants, calls, and instructions on any type. */
  #special(op: number): Special {
    const known = SPECIAL.get(op);
    if (known === undefined)
      throw invalidCode(`the instruction ${op.toString(16)} has no form of 64 bits`, "use another one");
    if (op === OP.i64) while (this.#from.byte() > 0x7f);
    this.#from.skip(known.bytes);
    return known;
  }
}

const NONE: readonly never[] = [];
/** What is known of instructions that effects leave out. */
interface Special {
  /** Undefined for calls. */
  readonly slots?: readonly Slot[];
  readonly gives: boolean;
  /** Bytes behind it besides an index or a number. */
  readonly bytes: number;
}
const special = (slots: readonly Slot[], gives: boolean, bytes = 0): Special => ({ slots, gives, bytes });
const THREE: readonly Slot[] = ["i32", "i32", "i32"];
const SPECIAL: ReadonlyMap<number, Special> = new Map([
  [OP.unreachable, special(NONE, false)],
  [OP.get, special(NONE, true)],
  [OP.set, special(["i32"], false)],
  [OP.tee, special(["i32"], true)],
  [OP.getGlobal, special(NONE, true)],
  [OP.setGlobal, special(["i32"], false)],
  [OP.call, { gives: false, bytes: 0 }],
  [OP.drop, special(["other"], false)],
  [OP.select, special(THREE, true)],
  [OP.size, special(NONE, true, 1)],
  [OP.i32, special(NONE, true)],
  [OP.i64, special(NONE, true)],
  [OP.f32, special(NONE, true, 4)],
  [OP.f64, special(NONE, true, 8)],
  [OP.copy, special(THREE, false, 2)],
  [OP.fill, special(THREE, false, 1)],
  // A constant vector, and the places of a shuffle.
  [0xfd0c, special(NONE, true, 16)],
  [0xfd0d, special(["other", "other"], true, 16)],
]);
const hasImmediate = (op: number): boolean =>
  (op >= OP.get && op <= OP.setGlobal) || op === OP.i32 || op === OP.call;
