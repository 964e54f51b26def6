/**
 * @file A reader of pickle data that cannot run anything: it knows the few opcodes that
 * `torch.save` writes, builds plain values, and hands calls to a table of known functions. Objects
 * of other classes become inert records.
 */
import type { Budget } from "@sconce/errors";
import { pickleError } from "../errors.js";

/** A class or function by name. It is never looked up anywhere. */
export class PickleGlobal {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** An object of a class that only its author knows: what it was made from, as data. */
export class PickleRecord {
  readonly className: string;
  readonly args: readonly unknown[];
  state: unknown = undefined;
  constructor(className: string, args: readonly unknown[]) {
    this.className = className;
    this.args = args;
  }
}

export class PickleTuple {
  readonly items: readonly unknown[];
  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

/** A Python float; ints are numbers or bigints, lists arrays, dicts maps. */
export class PickleFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** What gives meaning to calls and to persistent ids. */
export interface PickleHandlers {
  /** Returns the value of `function(*args)`. Throws for functions that it does not know. */
  call(name: string, args: readonly unknown[]): unknown;
  /** Returns the value of a persistent id, as tensors refer to their storage. */
  persistent(id: unknown): unknown;
}

const MARK = Symbol("mark");

/** @throws SconceError `PICKLE_SYNTAX`, `PICKLE_FORBIDDEN`, `BUDGET_EXCEEDED` */
export function readPickle(
  bytes: Uint8Array,
  where: string,
  handlers: PickleHandlers,
  budget: Budget,
): unknown {
  return new PickleReader(bytes, where, handlers, budget).read();
}

class PickleReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #where: string;
  readonly #handlers: PickleHandlers;
  readonly #budget: Budget;
  readonly #memo = new Map<number, unknown>();
  #stack: unknown[] = [];
  #position = 0;

  constructor(bytes: Uint8Array, where: string, handlers: PickleHandlers, budget: Budget) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#where = where;
    this.#handlers = handlers;
    this.#budget = budget;
  }

  read(): unknown {
    for (;;) {
      const code = this.#byte();
      if (code === 0x2e) break;
      this.#budget.spend("nodes", 1, this.#place);
      const run = OPCODES.get(code);
      if (run === undefined) throw this.fault(`opcode 0x${code.toString(16)} is not one that tensors need`);
      run(this);
    }
    if (this.#position !== this.#bytes.length) throw this.fault("bytes after the end");
    if (this.#stack.length !== 1) throw this.fault("not exactly one value is left");
    return this.pop();
  }

  fault(message: string) {
    return pickleError("PICKLE_SYNTAX", message, this.#place());
  }

  forbid(message: string) {
    return pickleError("PICKLE_FORBIDDEN", message, this.#place());
  }

  readonly #place = (): string => `${this.#where}, byte ${this.#position}`;

  #advance(length: number): number {
    const start = this.#position;
    if (start + length > this.#bytes.length) throw this.fault("the data end too early");
    this.#position += length;
    return start;
  }

  #byte(): number {
    return this.#bytes[this.#advance(1)]!;
  }

  uint8 = (): number => this.#byte();
  uint16 = (): number => this.#view.getUint16(this.#advance(2), true);
  int32 = (): number => this.#view.getInt32(this.#advance(4), true);
  uint32 = (): number => this.#view.getUint32(this.#advance(4), true);
  float64 = (): number => this.#view.getFloat64(this.#advance(8), false);
  skip = (length: number): void => void this.#advance(length);

  text(length: number): string {
    const start = this.#advance(length);
    return new TextDecoder().decode(this.#bytes.subarray(start, start + length));
  }

  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#position);
    if (end < 0) throw this.fault("a line without an end");
    const text = this.text(end - this.#position);
    this.#position++;
    return text;
  }

  long(length: number): number | bigint {
    const start = this.#advance(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#bytes[start + i]!);
    if (length > 0) value = BigInt.asIntN(8 * length, value);
    const small = Number(value);
    return Number.isSafeInteger(small) ? small : value;
  }

  push(value: unknown): void {
    this.#stack.push(value);
  }

  mark(): void {
    this.#stack.push(MARK);
  }

  pop(): unknown {
    if (this.#stack.length === 0) throw this.fault("a value is missing");
    const value = this.#stack.pop();
    if (value === MARK) throw this.fault("a value is missing");
    return value;
  }

  /** Values above the last mark. */
  popToMark(): unknown[] {
    const at = this.#stack.lastIndexOf(MARK);
    if (at < 0) throw this.fault("a mark is missing");
    const values = this.#stack.splice(at);
    values.shift();
    return values;
  }

  popMany(count: number): unknown[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  /** Returns the container that items are added to; it stays on the stack. */
  top(): unknown {
    return this.#stack[this.#stack.length - 1];
  }

  remember(index: number): void {
    this.#memo.set(index, this.top());
  }

  rememberNext(): void {
    this.remember(this.#memo.size);
  }

  recall(index: number): void {
    if (!this.#memo.has(index)) throw this.fault(`nothing is remembered as ${index}`);
    this.push(this.#memo.get(index));
  }

  persistent(): void {
    this.push(this.#handlers.persistent(this.pop()));
  }

  reduce(): void {
    const args = this.pop();
    const target = this.pop();
    if (!(target instanceof PickleGlobal) || !(args instanceof PickleTuple))
      throw this.fault("a call of something else than a function");
    this.push(this.#handlers.call(target.name, args.items));
  }

  newObject(): void {
    const args = this.pop();
    const target = this.pop();
    if (!(target instanceof PickleGlobal) || !(args instanceof PickleTuple))
      throw this.fault("an object of something else than a class");
    this.push(new PickleRecord(target.name, args.items));
  }

  build(): void {
    const state = this.pop();
    const object = this.top();
    if (object instanceof PickleRecord) object.state = state;
    // Tensors and dicts may carry Python attributes; they mean nothing here.
    else if (!(object instanceof Map) && !(typeof object === "object" && object !== null)) {
      throw this.forbid("state for something that has none");
    }
  }

  setItems(items: readonly unknown[]): void {
    const target = this.top();
    if (!(target instanceof Map) || items.length % 2 !== 0)
      throw this.fault("items for something else than a dict");
    for (let i = 0; i < items.length; i += 2) target.set(items[i], items[i + 1]);
  }

  append(items: readonly unknown[]): void {
    const target = this.top();
    if (!Array.isArray(target)) throw this.fault("items for something else than a list");
    for (const item of items) target.push(item);
  }
}

const PROTOCOL_LIMIT = 5;

const OPCODES: ReadonlyMap<number, (reader: PickleReader) => void> = new Map<
  number,
  (reader: PickleReader) => void
>([
  [
    0x80,
    (r) => {
      const protocol = r.uint8();
      if (protocol < 2 || protocol > PROTOCOL_LIMIT) throw r.fault(`protocol ${protocol}`);
    },
  ],
  [0x95, (r) => r.skip(8)],
  [0x28, (r) => r.mark()],
  [0x4e, (r) => r.push(null)],
  [0x88, (r) => r.push(true)],
  [0x89, (r) => r.push(false)],
  [0x4a, (r) => r.push(r.int32())],
  [0x4b, (r) => r.push(r.uint8())],
  [0x4d, (r) => r.push(r.uint16())],
  [0x8a, (r) => r.push(r.long(r.uint8()))],
  [0x47, (r) => r.push(new PickleFloat(r.float64()))],
  [0x58, (r) => r.push(r.text(r.uint32()))],
  [0x8c, (r) => r.push(r.text(r.uint8()))],
  [0x5d, (r) => r.push([])],
  [0x7d, (r) => r.push(new Map())],
  [0x29, (r) => r.push(new PickleTuple([]))],
  [0x74, (r) => r.push(new PickleTuple(r.popToMark()))],
  [0x85, (r) => r.push(new PickleTuple(r.popMany(1)))],
  [0x86, (r) => r.push(new PickleTuple(r.popMany(2)))],
  [0x87, (r) => r.push(new PickleTuple(r.popMany(3)))],
  [0x61, (r) => r.append([r.pop()])],
  [0x65, (r) => r.append(r.popToMark())],
  [0x73, (r) => r.setItems(r.popMany(2))],
  [0x75, (r) => r.setItems(r.popToMark())],
  [0x71, (r) => r.remember(r.uint8())],
  [0x72, (r) => r.remember(r.uint32())],
  [0x94, (r) => r.rememberNext()],
  [0x68, (r) => r.recall(r.uint8())],
  [0x6a, (r) => r.recall(r.uint32())],
  [0x63, (r) => r.push(new PickleGlobal(`${r.line()}.${r.line()}`))],
  [
    0x93,
    (r) => {
      const [module, name] = r.popMany(2);
      if (typeof module !== "string" || typeof name !== "string") throw r.fault("a name that is not a text");
      r.push(new PickleGlobal(`${module}.${name}`));
    },
  ],
  [0x51, (r) => r.persistent()],
  [0x52, (r) => r.reduce()],
  [0x81, (r) => r.newObject()],
  [0x62, (r) => r.build()],
]);
