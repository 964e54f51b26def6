/** @file Modules: types, imports, functions, a memory and exports, in the binary format. */
import { Bytes } from "./bytes.js";
import { invalidCode } from "./errors.js";
import { FunctionBuilder, type Global } from "./function.js";
import { type Local, type Signature, typeCode, type ValueType } from "./types.js";

/** Sizes of a memory in pages of 64 KiB. */
export interface MemoryLimits {
  /** Pages at the start. */
  readonly initial: number;
  /** Pages that it may grow to. */
  readonly maximum?: number;
  /** For threads; needs a maximum. */
  readonly shared?: boolean;
  /** Addresses have 64 bits. */
  readonly memory64?: boolean;
}

/** Signature of a function, its name in profiles and the name that it is exported by. */
export interface FunctionInit<P extends readonly ValueType[]> {
  /** Types of the parameters. */
  readonly params: P;
  /** Types of the results; none by default. */
  readonly results?: readonly ValueType[];
  /** Name in profiles and traces; without it, the name of the export. */
  readonly name?: string;
  /** Name that it is exported by. */
  readonly export?: string;
}

type Params<P extends readonly ValueType[]> = { readonly [I in keyof P]: Local<P[I]> };

/** Builds a module. Imports come before functions. */
export class ModuleBuilder {
  /** Whether functions may use relaxed SIMD; what writes them has to ask. */
  readonly relaxed: boolean;
  private readonly types = new Bytes();
  private readonly typeIndex = new Map<string, number>();
  private readonly imports = new Bytes();
  private importCount = 0;
  private importedFunctions = 0;
  private readonly functions: { type: number; builder?: FunctionBuilder; name?: string }[] = [];
  private memory: MemoryLimits | undefined;
  private readonly globals = new Bytes();
  private globalCount = 0;
  private readonly exports = new Bytes();
  private exportCount = 0;

  constructor({ relaxed = false }: { readonly relaxed?: boolean } = {}) {
    this.relaxed = relaxed;
  }

  /** Imports the memory that all memory instructions use. */
  importMemory(module: string, name: string, limits: MemoryLimits): void {
    this.imports.text(module).text(name).byte(2);
    writeLimits(this.imports, limits);
    this.importCount++;
  }

  /** Adds a memory, exported by a name if one is given. */
  addMemory(limits: MemoryLimits, exported?: string): void {
    this.memory = limits;
    if (exported !== undefined) this.export(exported, 2, 0);
  }

  /** Imports a function; returns its index. */
  importFunction(module: string, name: string, signature: Signature): number {
    if (this.functions.length > 0)
      throw invalidCode(`function ${name} is imported after others were added`, "add imports first");
    this.imports.text(module).text(name).byte(0).unsigned(this.typeOf(signature));
    this.importCount++;
    return this.importedFunctions++;
  }

  /** Adds a global variable. */
  global(type: "i32" | "f32" | "f64", value: number, mutable = true): Global {
    this.globals.byte(typeCode(type)).byte(mutable ? 1 : 0);
    if (type === "i32") this.globals.byte(0x41).signed(value);
    else if (type === "f32") this.globals.byte(0x43).f32(value);
    else this.globals.byte(0x44).f64(value);
    this.globals.byte(0x0b);
    return { global: this.globalCount++ };
  }

  /**
   * Adds a function and returns its index. The body receives the parameters as locals. It may add
   * other functions.
   */
  func<const P extends readonly ValueType[]>(
    init: FunctionInit<P>,
    body: (f: FunctionBuilder, ...params: Params<P>) => void,
  ): number {
    const index = this.declare(init);
    this.define(index, init, body);
    return index;
  }

  /** Reserves the index of a function whose body follows with {@link define}. */
  declare(init: FunctionInit<readonly ValueType[]>): number {
    const entry: { type: number; name?: string } = { type: this.typeOf(init) };
    const name = init.name ?? init.export;
    if (name !== undefined) entry.name = name;
    const index = this.importedFunctions + this.functions.push(entry) - 1;
    if (init.export !== undefined) this.export(init.export, 0, index);
    return index;
  }

  /** Adds the body of a declared function. */
  define<const P extends readonly ValueType[]>(
    index: number,
    init: { readonly params: P },
    body: (f: FunctionBuilder, ...params: Params<P>) => void,
  ): void {
    const builder = new FunctionBuilder(init.params);
    const params = init.params.map((type, i): Local => ({ index: i, type }));
    this.functions[index - this.importedFunctions]!.builder = builder;
    body(builder, ...(params as unknown as Params<P>));
  }

  /** Exports a function by its index. */
  exportFunction(name: string, index: number): void {
    this.export(name, 0, index);
  }

  private export(name: string, kind: number, index: number): void {
    this.exports.text(name).byte(kind).unsigned(index);
    this.exportCount++;
  }

  private typeOf(signature: Signature): number {
    const { params, results = [] } = signature;
    const key = `${params.join()}:${results.join()}`;
    let index = this.typeIndex.get(key);
    if (index === undefined) {
      index = this.typeIndex.size;
      this.typeIndex.set(key, index);
      this.types.byte(0x60).unsigned(params.length);
      for (const type of params) this.types.byte(typeCode(type));
      this.types.unsigned(results.length);
      for (const type of results) this.types.byte(typeCode(type));
    }
    return index;
  }

  /** Returns the module in the binary format. */
  build(): Uint8Array<ArrayBuffer> {
    const out = new Bytes(1024).raw(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    const section = (id: number, count: number, items: Bytes): void => {
      if (count > 0) out.byte(id).sized(new Bytes(items.length + 5).unsigned(count).raw(items.view()));
    };
    const indices = new Bytes();
    const code = new Bytes(4096);
    for (const { type, builder, name } of this.functions) {
      if (builder === undefined)
        throw invalidCode(`function ${name ?? ""} has no body`, "define the functions that are declared");
      indices.unsigned(type);
      builder.writeTo(code);
    }
    section(1, this.typeIndex.size, this.types);
    section(2, this.importCount, this.imports);
    section(3, this.functions.length, indices);
    if (this.memory !== undefined) section(5, 1, writeLimits(new Bytes(), this.memory));
    section(6, this.globalCount, this.globals);
    section(7, this.exportCount, this.exports);
    section(10, this.functions.length, code);
    this.writeNames(out);
    return out.take();
  }

  /** Names of functions, which profiles and traces of errors show. */
  private writeNames(out: Bytes): void {
    const names = new Bytes();
    let count = 0;
    this.functions.forEach(({ name }, i) => {
      if (name === undefined) return;
      names.unsigned(this.importedFunctions + i).text(name);
      count++;
    });
    if (count === 0) return;
    const functions = new Bytes().unsigned(count).raw(names.view());
    out.byte(0).sized(new Bytes().text("name").byte(1).sized(functions));
  }
}

function writeLimits(bytes: Bytes, limits: MemoryLimits): Bytes {
  const { initial, maximum, shared = false, memory64 = false } = limits;
  bytes.byte((maximum === undefined ? 0 : 1) | (shared ? 2 : 0) | (memory64 ? 4 : 0)).unsigned(initial);
  return maximum === undefined ? bytes : bytes.unsigned(maximum);
}
