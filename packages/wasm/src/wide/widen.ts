/** @file Modules on a memory whose addresses have 64 bits. */
import { Bytes } from "../bytes.js";
import { type FunctionType, type ModuleParts, readModule } from "./module-parts.js";
import { I32, type Node, NodeReader, OP } from "./nodes.js";
import { findWidths, isWideForm, type WideFunction, wideForm } from "./widths.js";

const I64 = 0x7e;
const F64 = 0x7c;

/** What a module of addresses of 64 bits is made with. */
export interface WideInit {
  /** Whether a parameter of an exported function is an address. */
  readonly isAddress: (name: string, at: number, count: number) => boolean;
  /** The most pages of the memory, if it is shared. */
  readonly maximum: number;
}

/**
 * Makes a module whose memory has addresses of 64 bits of one with 32. Addresses are the given
 * parameters and what is computed from them; all other numbers keep 32 bits. Exported functions
 * take addresses as numbers of JavaScript (f64).
 */
export function widenAddresses(
  module: Uint8Array,
  { isAddress, maximum }: WideInit,
): Uint8Array<ArrayBuffer> {
  const parts = readModule(module);
  const functionTypes = parts.imports.flatMap(({ type }) => (type === undefined ? [] : [parts.types[type]!]));
  const imported = functionTypes.length;
  for (const { type } of parts.bodies) functionTypes.push(type);
  const functions = parts.bodies.map((body): WideFunction => {
    const reader = new NodeReader(module, body, (index) => functionTypes[index]!);
    const nodes = reader.read(body.end);
    const locals = [...body.type.params, ...body.locals].map(() => false);
    return { body, nodes, result: reader.body, locals };
  });
  const own = (index: number): WideFunction | undefined => functions[index - imported];
  for (const { name, index } of parts.exports) {
    const { body, locals } = own(index)!;
    const { params } = body.type;
    params.forEach((type, at) => {
      if (type === I32 && isAddress(name, at, params.length)) locals[at] = true;
    });
  }
  // What no export calls has no addresses, and is never run.
  const used = new Set<WideFunction>();
  const use = (index: number): void => {
    const one = own(index);
    if (one === undefined || used.has(one)) return;
    used.add(one);
    for (const { op, immediate } of one.nodes) if (op === OP.call) use(immediate);
  };
  for (const { index } of parts.exports) use(index);
  for (const one of functions) if (!used.has(one)) one.nodes = [];
  findWidths(functions, own);
  return writeModule(module, parts, functions, imported, maximum);
}

/** The types of a module, each once. */
class Types {
  readonly bytes = new Bytes();
  count = 0;
  readonly #known = new Map<string, number>();

  add({ params, results }: FunctionType): number {
    const key = `${params.join()}:${results.join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.count);
    this.bytes.byte(0x60);
    for (const list of [params, results]) {
      this.bytes.unsigned(list.length);
      for (const type of list) this.bytes.byte(type);
    }
    return this.count++;
  }
}

function writeModule(
  module: Uint8Array,
  parts: ModuleParts,
  functions: readonly WideFunction[],
  imported: number,
  maximum: number,
): Uint8Array<ArrayBuffer> {
  const types = new Types();
  const imports = new Bytes();
  for (const { names, type, flags, limits } of parts.imports) {
    imports.raw(names);
    if (type !== undefined) imports.byte(0).unsigned(types.add(parts.types[type]!));
    else {
      imports.byte(2).byte(flags | 4);
      if ((flags & 1) === 0) imports.raw(limits);
      else imports.unsigned(1).unsigned(maximum);
    }
  }
  const [indices, code, exports] = [new Bytes(), new Bytes(module.length), new Bytes()];
  const typeOf = ({ body, locals, result }: WideFunction, address: number): FunctionType => ({
    params: body.type.params.map((type, at) => (locals[at] ? address : type)),
    results: body.type.results.map((type) => (result.isWide ? I64 : type)),
  });
  for (const one of functions) {
    indices.unsigned(types.add(typeOf(one, I64)));
    code.sized(writeBody(module, one));
  }
  for (const [at, { name, index }] of parts.exports.entries()) {
    const called = functions[index - imported]!;
    indices.unsigned(types.add(typeOf(called, F64)));
    code.sized(writeExported(called, index));
    exports
      .text(name)
      .byte(0)
      .unsigned(imported + functions.length + at);
  }
  const count = functions.length + parts.exports.length;
  const out = new Bytes(module.length + 1024).raw(module.subarray(0, 8));
  const section = (id: number, items: number, bytes: Bytes): void => {
    if (items > 0) out.byte(id).sized(new Bytes(bytes.length + 5).unsigned(items).raw(bytes.view()));
  };
  section(1, types.count, types.bytes);
  section(2, parts.imports.length, imports);
  section(3, count, indices);
  out.raw(parts.globals);
  section(7, parts.exports.length, exports);
  section(10, count, code);
  return out.raw(parts.names).take();
}

/** Calls a function with addresses that are given as f64. */
function writeExported({ body, locals }: WideFunction, index: number): Bytes {
  const code = new Bytes().unsigned(0);
  body.type.params.forEach((_, at) => {
    code.byte(OP.get).unsigned(at);
    // i64.trunc_f64_s
    if (locals[at]) code.byte(0xb0);
  });
  return code.byte(OP.call).unsigned(index).byte(OP.end);
}

function writeBody(module: Uint8Array, { body, nodes, locals }: WideFunction): Bytes {
  // Without instructions it is not used.
  if (nodes.length === 0) return new Bytes().unsigned(0).byte(OP.unreachable).byte(OP.end);
  const out = new Bytes(body.end - body.start + 64);
  const groups: { type: number; count: number }[] = [];
  body.locals.forEach((given, at) => {
    const type = locals[body.type.params.length + at] ? I64 : given;
    const last = groups.at(-1);
    if (last?.type === type) last.count++;
    else groups.push({ type, count: 1 });
  });
  out.unsigned(groups.length);
  for (const { type, count } of groups) out.unsigned(count).byte(type);
  // What stays is copied in long pieces.
  let copied = body.start;
  for (const node of nodes) {
    const changed = changedForm(node);
    if (changed === undefined && node.after === "nothing") continue;
    out.raw(module.subarray(copied, changed === undefined ? node.end : node.start));
    copied = node.end;
    changed?.(out);
    if (!isConstant(node)) writeAfter(out, node.after);
  }
  return out.raw(module.subarray(copied, body.end));
}

/** A constant of 64 bits needs no conversion. */
const isConstant = ({ op, after }: Node): boolean => op === OP.i32 && after === "extend";

/** Returns what writes an instruction that is another one than before. */
function changedForm(node: Node): ((out: Bytes) => void) | undefined {
  const { op, block, immediate } = node;
  if (isConstant(node)) return (out) => void out.byte(OP.i64).signed(immediate);
  if ((op === OP.block || op === OP.loop || op === OP.if) && block!.isWide)
    return (out) => void out.byte(op).byte(I64);
  // `memory.size` gives 64 bits.
  if (op === OP.size) return (out) => void out.byte(op).byte(0).byte(WRAP);
  return isWideForm(node) ? (out) => void out.byte(wideForm(op)) : undefined;
}

const WRAP = 0xa7;
function writeAfter(out: Bytes, after: Node["after"]): void {
  if (after === "extend") out.byte(0xac);
  if (after === "wrap") out.byte(WRAP);
  // Is it another number than 0?
  if (after === "test") out.byte(OP.i64).byte(0).byte(0x52);
}
