/** @file The body of a function. */
import { Bytes } from "./bytes.js";
import { invalidCode } from "./errors.js";
import { Expression, i32, type Operand } from "./expression.js";
import {
  alignmentOf,
  encodingOf,
  type Instruction,
  type LaneInstruction,
  type MemoryInstruction,
  type MemoryLaneInstruction,
} from "./opcodes.js";
import { type Local, typeCode, type ValueType } from "./types.js";

/** Sets a local and keeps the value on the stack. */
const TEE = 0x22;

/** A place that branches go to: the end of a block, or the start of a loop. */
export interface Label {
  /** Count of the blocks around its inside. */
  readonly depth: number;
}

/** A global variable of a module. */
export interface Global {
  /** Its index. */
  readonly global: number;
}

/** As many locals, as a tuple where their count is a literal. */
type Locals<
  T extends ValueType,
  N extends number,
  L extends readonly Local<T>[] = readonly [],
> = number extends N
  ? readonly Local<T>[]
  : L["length"] extends N
    ? L
    : Locals<T, N, readonly [...L, Local<T>]>;

/**
 * Writes instructions in the order of execution: operands first, as on the stack of WebAssembly.
 * Methods return the builder, so that short sequences are one expression.
 */
export class FunctionBuilder {
  private readonly code = new Bytes(256);
  private readonly declared: ValueType[] = [];
  private depth = 0;
  /** The local that was set last, and where that instruction starts and ends. */
  private setLocal = -1;
  private setStart = 0;
  private setEnd = -1;

  constructor(private readonly params: readonly ValueType[]) {}

  /** Adds a local variable. Its first value is zero. */
  local<T extends ValueType>(type: T): Local<T> {
    return { index: this.params.length + this.declared.push(type) - 1, type };
  }

  /** Adds local variables of one type. */
  locals<T extends ValueType, const N extends number>(type: T, count: N): Locals<T, N> {
    return Array.from({ length: count }, () => this.local(type)) as readonly Local<T>[] as Locals<T, N>;
  }

  /** Pushes the values of locals. */
  get(...locals: readonly Local[]): this {
    for (const { index } of locals) {
      // A local that was set just now: one instruction sets it and keeps the value.
      if (this.setLocal === index && this.setEnd === this.code.length) this.code.replace(this.setStart, TEE);
      else this.code.byte(0x20).unsigned(index);
      this.setEnd = -1;
    }
    return this;
  }

  /** Pops a value into a local. */
  set({ index }: Local): this {
    this.setLocal = index;
    this.setStart = this.code.length;
    this.setEnd = this.code.byte(0x21).unsigned(index).length;
    return this;
  }

  /** Copies the value on the stack into a local. */
  tee(local: Local): this {
    this.code.byte(TEE).unsigned(local.index);
    return this;
  }

  /** Copies a local variable to another. */
  copy(from: Local, to: Local): this {
    return this.get(from).set(to);
  }

  /** Pushes expressions. */
  put(...operands: readonly Operand[]): this {
    for (const operand of operands)
      if (typeof operand === "number") this.i32(operand);
      else if (operand instanceof Expression) operand.write(this);
      else this.get(operand);
    return this;
  }

  /** Sets a local to an expression. */
  assign(local: Local<"i32">, operand: Operand): this {
    return this.put(operand).set(local);
  }

  /** Adds a local that holds an expression. */
  let(operand: Operand): Local<"i32"> {
    const local = this.local("i32");
    this.assign(local, operand);
    return local;
  }

  /** Adds an expression to a local. */
  increase(local: Local<"i32">, by: Operand): this {
    return i32(by).known === 0 ? this : this.put(local, by).op("i32.add").set(local);
  }

  /** Pushes the value of a global. */
  getGlobal(global: Global): this {
    this.code.byte(0x23).unsigned(global.global);
    return this;
  }

  /** Pops a value into a global. */
  setGlobal(global: Global): this {
    this.code.byte(0x24).unsigned(global.global);
    return this;
  }

  /** Returns a constant of 32 bits. */
  i32(value: number): this {
    this.code.byte(0x41).signed(value);
    return this;
  }

  /** Returns a constant of 64 bits. */
  i64(value: bigint): this {
    this.code.byte(0x42).signed64(value);
    return this;
  }

  /** Returns a constant, rounded to float32. */
  f32(value: number): this {
    this.code.byte(0x43).f32(value);
    return this;
  }

  /** Returns a constant in float64. */
  f64(value: number): this {
    this.code.byte(0x44).f64(value);
    return this;
  }

  /** Returns a vector of four 32-bit floats, or the same one in all lanes. */
  f32x4(...lanes: readonly [number] | readonly [number, number, number, number]): this {
    this.code.byte(0xfd).byte(0x0c);
    for (let i = 0; i < 4; i++) this.code.f32(lanes[i] ?? lanes[0]);
    return this;
  }

  /** Returns a vector of two 64-bit floats, or the same one in both lanes. */
  f64x2(...lanes: readonly [number] | readonly [number, number]): this {
    this.code.byte(0xfd).byte(0x0c);
    for (let i = 0; i < 2; i++) this.code.f64(lanes[i] ?? lanes[0]);
    return this;
  }

  /** Returns a vector of 16 bytes; for other integers see {@link i32x4}. */
  v128(bytes: Uint8Array): this {
    if (bytes.length !== 16) throw invalidCode(`a vector has 16 bytes, not ${bytes.length}`, "pass 16 bytes");
    this.code.byte(0xfd).byte(0x0c).raw(bytes);
    return this;
  }

  /** Returns a vector of four 32-bit integers, or the same one in all lanes. */
  i32x4(...lanes: readonly [number] | readonly [number, number, number, number]): this {
    const values = Int32Array.from({ length: 4 }, (_, i) => lanes[i] ?? lanes[0]);
    return this.v128(new Uint8Array(values.buffer));
  }

  /** Lanes of two vectors, by their places in both: 16 of a byte, 4 of 32 bits or 2 of 64 bits. */
  shuffle(lanes: readonly number[]): this {
    const { length } = lanes;
    if (length !== 16 && length !== 4 && length !== 2)
      throw invalidCode(
        `a shuffle takes 16, 4 or 2 lanes, not ${length}`,
        "pass the places of 16 bytes, of 4 lanes of 32 bits or of 2 lanes of 64 bits",
      );
    const width = 16 / length;
    this.code.byte(0xfd).byte(0x0d);
    for (const lane of lanes) for (let byte = 0; byte < width; byte++) this.code.byte(width * lane + byte);
    return this;
  }

  /** Instructions without immediate operands. */
  op(...names: readonly Instruction[]): this {
    for (const name of names) this.encode(name);
    return this;
  }

  /**
   * Returns a load or a store at the address on the stack plus `offset`. Vectors need no alignment.
   */
  memory(name: MemoryInstruction, offset = 0): this {
    this.encode(name);
    this.code.unsigned(alignmentOf(name)).unsigned(offset);
    return this;
  }

  /** Returns an instruction on one lane of the vector on the stack. */
  lane(name: LaneInstruction, lane: number): this {
    this.encode(name);
    this.code.byte(lane);
    return this;
  }

  /** Moves one lane of the vector on the stack to or from memory. */
  memoryLane(name: MemoryLaneInstruction, lane: number, offset = 0): this {
    this.encode(name);
    this.code.unsigned(alignmentOf(name)).unsigned(offset).byte(lane);
    return this;
  }

  /** `memory.copy`: target, source and count of bytes are on the stack. */
  memoryCopy(): this {
    this.code.byte(0xfc).byte(10).byte(0).byte(0);
    return this;
  }

  /** `memory.fill`: target, byte and count of bytes are on the stack. */
  memoryFill(): this {
    this.code.byte(0xfc).byte(11).byte(0);
    return this;
  }

  /** Size of the memory in pages of 64 KiB. */
  memorySize(): this {
    this.code.byte(0x3f).byte(0);
    return this;
  }

  /** `atomic.fence`. */
  fence(): this {
    this.code.byte(0xfe).byte(3).byte(0);
    return this;
  }

  /** Calls a function by its index. */
  call(index: number): this {
    this.code.byte(0x10).unsigned(index);
    return this;
  }

  /** Returns a block; a branch to its label leaves it. */
  block(body: (label: Label) => void, result?: ValueType): this {
    return this.nested(0x02, body, result);
  }

  /** Returns a loop; a branch to its label starts it again. */
  loop(body: (label: Label) => void, result?: ValueType): this {
    return this.nested(0x03, body, result);
  }

  /** Runs a body while a condition holds. */
  while(condition: Operand, body: () => void): this {
    return this.block((done) => {
      this.loop((again) => {
        this.put(i32(condition).not()).brIf(done);
        body();
        this.br(again);
      });
    });
  }

  /** Runs a body until a local that grows reaches an end. The body runs at least once. */
  countUp(local: Local<"i32">, end: Operand, body: () => void, step: Operand = 1): this {
    return this.loop((again) => {
      body();
      this.increase(local, step).put(i32(local).is("lt_s", end)).brIf(again);
    });
  }

  /**
   * Runs a body for each count in a local, or for so many at once: as long as that many are left.
   * The body runs at least once.
   */
  countDown(local: Local<"i32">, body: () => void, step = 1): this {
    return this.loop((again) => {
      body();
      this.increase(local, -step)
        .put(step === 1 ? local : i32(local).is("ge_s", step))
        .brIf(again);
    });
  }

  /** Takes a condition from the stack. */
  if(then: (label: Label) => void, otherwise?: (label: Label) => void, result?: ValueType): this {
    if (otherwise === undefined) return this.nested(0x04, then, result);
    return this.nested(
      0x04,
      (label) => {
        then(label);
        this.code.byte(0x05);
        otherwise(label);
      },
      result,
    );
  }

  private nested(code: number, body: (label: Label) => void, result: ValueType | undefined): this {
    this.code.byte(code).byte(result === undefined ? 0x40 : typeCode(result));
    this.depth++;
    body({ depth: this.depth });
    this.depth--;
    this.code.byte(0x0b);
    return this;
  }

  /** Branches always. */
  br(label: Label): this {
    this.code.byte(0x0c).unsigned(this.distance(label));
    return this;
  }

  /** Branches if the condition on the stack is not zero. */
  brIf(label: Label): this {
    this.code.byte(0x0d).unsigned(this.distance(label));
    return this;
  }

  private distance(label: Label): number {
    if (label.depth > this.depth)
      throw invalidCode("a branch to a block that has ended", "branch from inside of the block");
    return this.depth - label.depth;
  }

  private encode(name: string): void {
    const encoding = encodingOf(name);
    if (encoding === undefined)
      throw invalidCode(`unknown instruction ${name}`, "use a name of the text format of WebAssembly");
    if (encoding <= 0xff) {
      this.code.byte(encoding);
      return;
    }
    // Prefixes are one byte. Of the rest of an encoding only relaxed SIMD has nine bits.
    const wide = encoding > 0xffff;
    this.code.byte(wide ? encoding >> 12 : encoding >> 8).unsigned(wide ? encoding & 0xfff : encoding & 0xff);
  }

  /** Appends the function, after its size, to the code section. */
  writeTo(section: Bytes): void {
    const groups: { type: ValueType; count: number }[] = [];
    for (const type of this.declared) {
      const last = groups.at(-1);
      if (last?.type === type) last.count++;
      else groups.push({ type, count: 1 });
    }
    const locals = new Bytes().unsigned(groups.length);
    for (const { type, count } of groups) locals.unsigned(count).byte(typeCode(type));
    section
      .unsigned(locals.length + this.code.length + 1)
      .raw(locals.view())
      .raw(this.code.view())
      .byte(0x0b);
  }
}
