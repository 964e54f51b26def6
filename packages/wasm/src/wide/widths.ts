/**
 * @file Which numbers of a module have 64 bits: addresses, and what they are computed with.
 *
 * A number of 64 bits is the number that one of 32 bits represents, its sign extended. So a
 * variable may hold addresses and numbers, and all sums are exact.
 */
import { invalidCode } from "../errors.js";
import type { FunctionBody } from "./module-parts.js";
import { type Block, type Node, OP } from "./nodes.js";

/** A function whose numbers are looked at. */
export interface WideFunction {
  readonly body: FunctionBody;
  /** None if nothing calls it. */
  nodes: readonly Node[];
  readonly result: Block;
  /** Which parameters and locals have 64 bits. */
  readonly locals: boolean[];
}

/** Sums, products and bits: those of 64 bits are 0x12 further. */
const RING = new Set([0x6a, 0x6b, 0x71, 0x72, 0x73]);
const PRODUCTS = new Set([0x6c, 0x74]);
/** Comparisons of 32 bits: those of 64 bits are 0x0b further. */
const isCompare = (op: number): boolean => op >= 0x45 && op <= 0x4f;
/** Values that depend on the width of their block or local, not on their operands. */
const CARRIES = new Set<number>([OP.end, OP.br, OP.return, OP.else]);

/** Returns the encoding of an instruction on 64 bits. */
export const wideForm = (op: number): number => (isCompare(op) ? op + 0x0b : op + 0x12);

/** Decides for all functions. @param own the function of an index, if the module has it */
export function findWidths(
  functions: readonly WideFunction[],
  own: (index: number) => WideFunction | undefined,
): void {
  // Those that callers come before are looked at first, so that few are looked at twice.
  const changed = new Set([...functions].reverse());
  for (const one of changed) {
    changed.delete(one);
    const hadResult = one.result.isWide;
    while (forward(one, own, changed));
    if (one.result.isWide !== hadResult) for (const other of functions) changed.add(other);
  }
  for (const { nodes, locals } of functions) {
    for (const node of nodes)
      node.operands.forEach((operand, at) => {
        if (operand !== undefined && wants(node, at, locals, own) === "wide") widen(operand);
      });
    for (const node of nodes)
      node.operands.forEach((operand, at) => {
        if (operand !== undefined) adapt(operand, wants(node, at, locals, own));
      });
  }
}

/**
 * Follows addresses through a function once; returns whether a variable or a block got one.
 *
 * @param changed functions that got addresses as parameters are added
 */
function forward(
  { nodes, locals }: WideFunction,
  own: (index: number) => WideFunction | undefined,
  changed: Set<WideFunction>,
): boolean {
  let hasChanged = false;
  for (const node of nodes) {
    const { op, operands, block, immediate } = node;
    const isAny = operands.some(isWideNode);
    if (isAny && (op === OP.set || op === OP.tee) && !locals[immediate]) {
      locals[immediate] = true;
      hasChanged = true;
    }
    if (isAny && block !== undefined && CARRIES.has(op) && !block.isWide) {
      block.isWide = true;
      hasChanged = true;
    }
    const called = op === OP.call ? own(immediate) : undefined;
    if (isAny && called !== undefined) passOn(operands, called, changed);
    if (!node.isWide && givesWide(node, locals, called)) node.isWide = true;
  }
  return hasChanged;
}
const isWideNode = (node: Node | undefined): boolean => node?.isWide === true;

/** Gives addresses to a function that is called with them. */
function passOn(operands: Node["operands"], called: WideFunction, changed: Set<WideFunction>): void {
  operands.forEach((operand, at) => {
    if (!isWideNode(operand) || called.locals[at]) return;
    called.locals[at] = true;
    changed.add(called);
  });
}

function givesWide(
  { op, operands, block, immediate }: Node,
  locals: readonly boolean[],
  called: WideFunction | undefined,
): boolean {
  if (op === OP.get || op === OP.tee) return locals[immediate]!;
  if (op === OP.end) return block!.isWide;
  if (op === OP.call) return called?.result.isWide === true;
  if (op === OP.select) return operands[0]?.isWide === true || operands[1]?.isWide === true;
  return RING.has(op) && operands.some((one) => one?.isWide === true);
}

type Want = "wide" | "narrow" | "condition" | "any";

/** Returns what an instruction wants an operand to be. */
function wants(
  node: Node,
  at: number,
  locals: readonly boolean[],
  own: (index: number) => WideFunction | undefined,
): Want {
  const { op, operands, slots, hasAddress, block, immediate, isWide } = node;
  if (slots[at] !== "i32") return "any";
  const either = (wide: boolean): Want => (wide ? "wide" : "narrow");
  if (hasAddress && at === 0) return addressOf(operands[0]);
  if (op === OP.copy) return "wide";
  if (op === OP.fill) return either(at !== 1);
  if (op === OP.set || op === OP.tee) return either(locals[immediate]!);
  if (op === OP.if || op === OP.brIf || (op === OP.select && at === 2)) return "condition";
  if (CARRIES.has(op)) return either(block!.isWide);
  if (op === OP.select || RING.has(op) || PRODUCTS.has(op)) return either(isWide);
  if (isCompare(op)) return either(operands.some((one) => one?.isWide === true));
  if (op === OP.call) return either(own(immediate)?.locals[at] === true);
  return "narrow";
}
function addressOf(operand: Node | undefined): Want {
  if (operand !== undefined && !operand.isWide)
    throw invalidCode(
      "memory is read at a number that is not computed from an address",
      "give the function an address",
    );
  return "wide";
}

/** Computes sums and products that are added to an address in 64 bits, from their numbers on. */
function widen(node: Node): void {
  const { op, operands } = node;
  if (node.isWide || !(PRODUCTS.has(op) || op === 0x6a || op === 0x6b)) return;
  node.isWide = true;
  for (const one of operands) if (one !== undefined) widen(one);
}

/** Adds the conversion of a value to what is wanted. */
function adapt(node: Node, want: Want): void {
  if (want === "wide" && !node.isWide) node.after = "extend";
  if (want === "narrow" && node.isWide) node.after = "wrap";
  if (want === "condition" && node.isWide) node.after = "test";
}

/**
 * Returns whether an instruction takes and gives, or compares, numbers of 64 bits in place of 32.
 */
export function isWideForm({ op, operands, isWide }: Node): boolean {
  if (isCompare(op)) return operands.some((one) => one?.isWide === true || one?.after === "extend");
  return isWide && (RING.has(op) || PRODUCTS.has(op));
}
