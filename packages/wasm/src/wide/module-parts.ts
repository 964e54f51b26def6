/** @file Reads the modules that the assembler writes. */
import { invalidCode } from "../errors.js";

/** A type of a function: the encodings of its parameters and results. */
export interface FunctionType {
  readonly params: readonly number[];
  readonly results: readonly number[];
}

/** A function that is exported. */
interface ExportedFunction {
  readonly name: string;
  readonly index: number;
}

/** The body of a function: its own locals, and where its instructions are. */
export interface FunctionBody {
  readonly type: FunctionType;
  readonly locals: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** What a module consists of. */
export interface ModuleParts {
  readonly types: readonly FunctionType[];
  /** Imports of functions have a type; that of the memory has flags and sizes. */
  readonly imports: readonly ImportPart[];
  readonly bodies: readonly FunctionBody[];
  readonly exports: readonly ExportedFunction[];
  /** Whole sections of names and globals, with their headers. */
  readonly globals: Uint8Array;
  readonly names: Uint8Array;
}
interface ImportPart {
  /** Both names, as they are encoded. */
  readonly names: Uint8Array;
  /** The type of a function; undefined for the memory. */
  readonly type: number | undefined;
  /** Flags and sizes of the memory. */
  readonly flags: number;
  readonly limits: Uint8Array;
}

/** Reads bytes in order. */
export class Reader {
  at: number;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte(): number {
    return this.bytes[this.at++]!;
  }
  /** Returns an unsigned LEB128 number of 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
  /** Returns a signed LEB128 number of 32 bits. */
  signed(): number {
    let value = 0;
    for (let shift = 0; ; ) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value;
    }
  }
  list<T>(one: () => T): T[] {
    return Array.from({ length: this.unsigned() }, one);
  }
  /** Returns the bytes that a function reads. */
  slice(read: () => void): Uint8Array {
    const { at } = this;
    read();
    return this.bytes.subarray(at, this.at);
  }
  skip(count: number): void {
    this.at += count;
  }
}

const EMPTY = new Uint8Array();

/** Reads a module that imports its memory. */
export function readModule(bytes: Uint8Array): ModuleParts {
  const sections = new Map<number, { start: number; body: number; end: number }>();
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = reader.byte();
    const size = reader.unsigned();
    sections.set(id, { start, body: reader.at, end: reader.at + size });
    reader.skip(size);
  }
  if (sections.has(5))
    throw invalidCode("a module with a memory of its own has addresses of 32 bits", "import the memory");
  const listOf = <T>(id: number, one: (from: Reader) => T): T[] => {
    const section = sections.get(id);
    if (section === undefined) return [];
    const from = new Reader(bytes, section.body);
    return from.list(() => one(from));
  };
  const whole = (id: number): Uint8Array => {
    const section = sections.get(id);
    return section === undefined ? EMPTY : bytes.subarray(section.start, section.end);
  };
  const types = listOf(1, (from): FunctionType => {
    from.byte();
    return { params: from.list(() => from.byte()), results: from.list(() => from.byte()) };
  });
  const functions = listOf(3, (from) => from.unsigned());
  let at = 0;
  return {
    types,
    imports: listOf(2, importPart),
    bodies: listOf(10, (from) => functionBody(from, types[functions[at++]!]!)),
    exports: listOf(7, exportedFunction),
    globals: whole(6),
    names: whole(0),
  };
}

function importPart(from: Reader): ImportPart {
  const names = from.slice(() => {
    for (let i = 0; i < 2; i++) from.skip(from.unsigned());
  });
  if (from.byte() === 0) return { names, type: from.unsigned(), flags: 0, limits: EMPTY };
  const flags = from.byte();
  const limits = from.slice(() => {
    from.unsigned();
    if ((flags & 1) !== 0) from.unsigned();
  });
  return { names, type: undefined, flags, limits };
}

function exportedFunction(from: Reader): ExportedFunction {
  const length = from.unsigned();
  const name = new TextDecoder().decode(from.bytes.subarray(from.at, from.at + length));
  from.skip(length);
  if (from.byte() !== 0) throw invalidCode(`the export ${name} is not a function`, "export functions alone");
  return { name, index: from.unsigned() };
}

function functionBody(from: Reader, type: FunctionType): FunctionBody {
  const size = from.unsigned();
  const end = from.at + size;
  const locals = from
    .list(() => [from.unsigned(), from.byte()] as const)
    .flatMap(([count, one]) => new Array<number>(count).fill(one));
  const start = from.at;
  from.at = end;
  return { type, locals, start, end };
}
