/**
 * @file What a pickle would import if it were loaded: its opcodes are walked, and nothing is built,
 * looked up or called. It knows every opcode of the protocols 0 to 5.
 */
import type { Budget } from "@sconce/errors";

/** What a pickle would do. */
export interface PickleScan {
  /** Classes and functions that loading imports, as `module.name`, each once. */
  readonly globals: readonly string[];
  /** Why the walk ended before the end of the bytes; undefined when it did not. */
  readonly problem: string | undefined;
}

/** How an operand lies behind its opcode: so many bytes, lines, or a length and that many bytes. */
type Operand = number | "line" | "lines" | "u1" | "u4" | "u8";

/** An opcode: its operand, the values that it takes and gives. Infinity takes all above a mark. */
type Opcode = readonly [operand: Operand, takes: number, gives: number];

/** The operand of an opcode: where it begins, and its text. */
interface Span {
  readonly start: number;
  readonly text: () => string;
}

const MARK = Symbol("mark");
/** A value on the stack: only texts matter, since names come from them. */
type Value = string | undefined | typeof MARK;

const TEXTS = new Set([0x53, 0x54, 0x55, 0x56, 0x58, 0x8c, 0x8d]);
const STOP = 0x2e;
const PROTO = 0x80;

const OPCODES: ReadonlyMap<number, Opcode> = new Map<number, Opcode>([
  [0x30, [0, 1, 0]], // POP
  [0x31, [0, Infinity, 0]], // POP_MARK
  [0x46, ["line", 0, 1]], // FLOAT
  [0x49, ["line", 0, 1]], // INT
  [0x4a, [4, 0, 1]], // BININT
  [0x4b, [1, 0, 1]], // BININT1
  [0x4c, ["line", 0, 1]], // LONG
  [0x4d, [2, 0, 1]], // BININT2
  [0x4e, [0, 0, 1]], // NONE
  [0x50, ["line", 0, 1]], // PERSID
  [0x51, [0, 1, 1]], // BINPERSID
  [0x52, [0, 2, 1]], // REDUCE
  [0x53, ["line", 0, 1]], // STRING
  [0x54, ["u4", 0, 1]], // BINSTRING
  [0x55, ["u1", 0, 1]], // SHORT_BINSTRING
  [0x56, ["line", 0, 1]], // UNICODE
  [0x58, ["u4", 0, 1]], // BINUNICODE
  [0x61, [0, 1, 0]], // APPEND
  [0x62, [0, 1, 0]], // BUILD
  [0x63, ["lines", 0, 1]], // GLOBAL
  [0x64, [0, Infinity, 1]], // DICT
  [0x7d, [0, 0, 1]], // EMPTY_DICT
  [0x65, [0, Infinity, 0]], // APPENDS
  [0x69, ["lines", Infinity, 1]], // INST
  [0x6c, [0, Infinity, 1]], // LIST
  [0x5d, [0, 0, 1]], // EMPTY_LIST
  [0x6f, [0, Infinity, 1]], // OBJ
  [0x73, [0, 2, 0]], // SETITEM
  [0x74, [0, Infinity, 1]], // TUPLE
  [0x29, [0, 0, 1]], // EMPTY_TUPLE
  [0x75, [0, Infinity, 0]], // SETITEMS
  [0x47, [8, 0, 1]], // BINFLOAT
  [PROTO, [1, 0, 0]],
  [0x81, [0, 2, 1]], // NEWOBJ
  [0x82, [1, 0, 1]], // EXT1
  [0x83, [2, 0, 1]], // EXT2
  [0x84, [4, 0, 1]], // EXT4
  [0x85, [0, 1, 1]], // TUPLE1
  [0x86, [0, 2, 1]], // TUPLE2
  [0x87, [0, 3, 1]], // TUPLE3
  [0x88, [0, 0, 1]], // NEWTRUE
  [0x89, [0, 0, 1]], // NEWFALSE
  [0x8a, ["u1", 0, 1]], // LONG1
  [0x8b, ["u4", 0, 1]], // LONG4
  [0x42, ["u4", 0, 1]], // BINBYTES
  [0x43, ["u1", 0, 1]], // SHORT_BINBYTES
  [0x8c, ["u1", 0, 1]], // SHORT_BINUNICODE
  [0x8d, ["u8", 0, 1]], // BINUNICODE8
  [0x8e, ["u8", 0, 1]], // BINBYTES8
  [0x8f, [0, 0, 1]], // EMPTY_SET
  [0x90, [0, Infinity, 0]], // ADDITEMS
  [0x91, [0, Infinity, 1]], // FROZENSET
  [0x92, [0, 3, 1]], // NEWOBJ_EX
  [0x93, [0, 2, 1]], // STACK_GLOBAL
  [0x95, [8, 0, 0]], // FRAME
  [0x96, ["u8", 0, 1]], // BYTEARRAY8
  [0x97, [0, 0, 1]], // NEXT_BUFFER
  [0x98, [0, 0, 0]], // READONLY_BUFFER
]);

/** Opcodes that remember the value on top of the stack, with their operands. */
const PUTS: ReadonlyMap<number, Operand> = new Map<number, Operand>([
  [0x70, "line"], // PUT
  [0x71, 1], // BINPUT
  [0x72, 4], // LONG_BINPUT
  [0x94, 0], // MEMOIZE
]);
/** Opcodes that push a remembered value, with their operands. */
const GETS: ReadonlyMap<number, Operand> = new Map<number, Operand>([
  [0x67, "line"], // GET
  [0x68, 1], // BINGET
  [0x6a, 4], // LONG_BINGET
]);

const MARK_CODE = 0x28;
const DUP = 0x32;
const GLOBAL = 0x63;
const INST = 0x69;
const STACK_GLOBAL = 0x93;
const EXTENSIONS = new Set([0x82, 0x83, 0x84]);

/**
 * Lists what a pickle imports. Several pickles may follow each other, as in old files of
 * `torch.save`.
 */
export function scanPickle(bytes: Uint8Array, budget: Budget, where: string): PickleScan {
  const scan = new Scan(bytes);
  for (let problem: string | true | undefined; ; ) {
    budget.spend("nodes", 1, () => where);
    problem = scan.step();
    if (problem === undefined) continue;
    return { globals: [...scan.globals], problem: problem === true ? undefined : problem };
  }
}

class Scan {
  readonly globals = new Set<string>();
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #stack: Value[] = [];
  #memo = new Map<number, Value>();
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Walks one opcode: true at the end, a text where the walk cannot go on. */
  step(): string | true | undefined {
    const at = this.#position;
    const code = this.#bytes[this.#position++];
    if (code === undefined) return `the data end at byte ${at} without a stop`;
    if (code === STOP) return this.#next();
    if (code === MARK_CODE) this.#stack.push(MARK);
    else if (code === DUP) this.#stack.push(this.#stack.at(-1));
    else if (PUTS.has(code) || GETS.has(code)) {
      if (!this.#memoize(code)) return `the data end inside of the opcode at byte ${at}`;
    } else {
      const opcode = OPCODES.get(code);
      if (opcode === undefined) return `byte ${at} is not an opcode`;
      if (!this.#run(code, opcode)) return `the data end inside of the opcode at byte ${at}`;
    }
    return undefined;
  }

  /** Behind a stop: another pickle, or the end of what pickles are. */
  #next(): true | undefined {
    if (this.#bytes[this.#position] !== PROTO) return true;
    this.#stack = [];
    this.#memo = new Map();
    return undefined;
  }

  #run(code: number, [operand, takes, gives]: Opcode): boolean {
    const span = this.#operand(operand);
    if (span === undefined) return false;
    const taken =
      takes === Infinity ? this.#toMark() : this.#stack.splice(Math.max(0, this.#stack.length - takes));
    if (code === GLOBAL || code === INST) this.globals.add(span.text().trim().replace(/\r?\n/, "."));
    if (code === STACK_GLOBAL) this.globals.add(taken.map(nameOf).join("."));
    if (EXTENSIONS.has(code)) this.globals.add(`copyreg extension ${this.#bytes[span.start] ?? 0}`);
    if (gives === 1) this.#stack.push(TEXTS.has(code) ? unquoted(code, span.text()) : undefined);
    return true;
  }

  #toMark(): Value[] {
    const at = this.#stack.lastIndexOf(MARK);
    return this.#stack.splice(Math.max(0, at));
  }

  /** Remembers a value or pushes a remembered one; false where the data end inside of it. */
  #memoize(code: number): boolean {
    const get = GETS.get(code);
    const operand = get ?? PUTS.get(code)!;
    const span = this.#operand(operand);
    if (span === undefined) return false;
    const index = this.#index(operand, span);
    if (get === undefined) this.#memo.set(index, this.#stack.at(-1));
    else this.#stack.push(this.#memo.get(index));
    return true;
  }

  /** Returns the number of a remembered value. */
  #index(operand: Operand, { start, text }: Span): number {
    if (operand === "line") return Number(text());
    if (operand === 0) return this.#memo.size;
    return operand === 1 ? this.#bytes[start]! : this.#view.getUint32(start, true);
  }

  /** Where the operand lies; undefined where the data end inside of it. */
  #operand(operand: Operand): Span | undefined {
    let start = this.#position;
    let end: number;
    if (typeof operand === "number") end = start + operand;
    else if (operand === "line" || operand === "lines") {
      end = this.#bytes.indexOf(0x0a, start) + 1;
      if (end > 0 && operand === "lines") end = this.#bytes.indexOf(0x0a, end) + 1;
      if (end === 0) return undefined;
    } else {
      const size = operand === "u1" ? 1 : operand === "u4" ? 4 : 8;
      if (start + size > this.#bytes.length) return undefined;
      const length =
        size === 1
          ? this.#bytes[start]!
          : size === 4
            ? this.#view.getUint32(start, true)
            : Number(this.#view.getBigUint64(start, true));
      start += size;
      end = start + length;
    }
    if (end > this.#bytes.length) return undefined;
    this.#position = end;
    return { start, text: () => new TextDecoder().decode(this.#bytes.subarray(start, end)) };
  }
}

const nameOf = (value: Value): string => (typeof value === "string" ? value : "(computed)");

/** Texts of protocol 0 stand in lines, some in quotes. */
const unquoted = (code: number, text: string): string =>
  code === 0x53 || code === 0x56 ? text.trim().replace(/^(['"])(.*)\1$/, "$2") : text;
