/** @file What instructions take from the stack, and what they put there. */
import { encodingOf, instructionNames } from "../opcodes.js";

/** A value on the stack: 32-bit integers may have to be addresses, all other types stay. */
export type Slot = "i32" | "other";

/** What follows an instruction in the code. */
type Immediate = "none" | "memory" | "lane" | "memory lane";

/** The stack before and after an instruction. */
export interface Effect {
  readonly takes: readonly Slot[];
  readonly gives: Slot | undefined;
  /** Whether the first operand is an address. */
  readonly hasAddress: boolean;
  readonly immediate: Immediate;
}

let effects: Map<number, Effect> | undefined;

/**
 * Returns the effect of an instruction by its encoding; undefined for control, locals and
 * constants.
 */
export function effectOf(encoding: number): Effect | undefined {
  effects ??= allEffects();
  return effects.get(encoding);
}

function allEffects(): Map<number, Effect> {
  const all = new Map<number, Effect>();
  const { plain, memory, lane, memoryLane } = instructionNames();
  const add = (name: string, effect: Effect): void => void all.set(encodingOf(name)!, effect);
  for (const name of plain) if (name.includes(".")) add(name, plainEffect(name));
  for (const name of memory) add(name, memoryEffect(name));
  for (const name of lane) add(name, laneEffect(name));
  for (const name of memoryLane) {
    const gives = name.includes("load") ? "other" : undefined;
    add(name, { takes: ["i32", "other"], gives, hasAddress: true, immediate: "memory lane" });
  }
  return all;
}

const SCALAR = /^[if]\d\d\./;
const COMPARES = /\.(eqz|eq|ne|[lg][te](_[su])?)$/;
const HAS_ONE =
  /\.(eqz|clz|ctz|popcnt|abs|neg|not|ceil|floor|trunc|nearest|sqrt|splat|any_true|all_true|bitmask)$|\.(wrap|(relaxed_)?trunc|extend|convert|demote|promote|reinterpret)\d*_/;
const HAS_THREE = /\.(bitselect|relaxed_n?madd|relaxed_laneselect)$/;

/** Returns the effect of an instruction without immediate operands. */
function plainEffect(name: string): Effect {
  const takes = SCALAR.test(name) ? scalarOperands(name) : vectorOperands(name);
  const isNumber = SCALAR.test(name)
    ? name.startsWith("i32.") || COMPARES.test(name)
    : /_true$|\.bitmask$/.test(name);
  return { takes, gives: isNumber ? "i32" : "other", hasAddress: false, immediate: "none" };
}
function scalarOperands(name: string): Slot[] {
  const converts = /_(i32|i64|f32|f64)(_[su])?$/.exec(name)?.[1];
  const slot = (converts ?? name.slice(0, 3)) === "i32" ? "i32" : "other";
  return HAS_ONE.test(name) ? [slot] : [slot, slot];
}
function vectorOperands(name: string): Slot[] {
  if (name.endsWith(".splat")) return [/^i(8|16|32)x/.test(name) ? "i32" : "other"];
  if (/\.sh[lr](_[su])?$/.test(name)) return ["other", "i32"];
  if (HAS_THREE.test(name)) return ["other", "other", "other"];
  return HAS_ONE.test(name) ? ["other"] : ["other", "other"];
}

function memoryEffect(name: string): Effect {
  const slot = name.startsWith("i32.") ? "i32" : "other";
  const base = { hasAddress: true, immediate: "memory" } as const;
  if (name.includes("atomic") && !/atomic\.(load|store)$/.test(name)) {
    // What waits and notifies counts in 32 bits, but for the values of 64 bits and the times.
    if (name.startsWith("memory.")) {
      const takes: Slot[] = name.endsWith("notify")
        ? ["i32", "i32"]
        : ["i32", name.endsWith("32") ? "i32" : "other", "other"];
      return { ...base, takes, gives: "i32" };
    }
    return { ...base, takes: name.endsWith("cmpxchg") ? ["i32", slot, slot] : ["i32", slot], gives: slot };
  }
  if (name.includes("store")) return { ...base, takes: ["i32", slot], gives: undefined };
  return { ...base, takes: ["i32"], gives: slot };
}

function laneEffect(name: string): Effect {
  const slot: Slot = /^i(8|16|32)x/.test(name) ? "i32" : "other";
  const base = { hasAddress: false, immediate: "lane" } as const;
  return name.includes("extract")
    ? { ...base, takes: ["other"], gives: slot }
    : { ...base, takes: ["other", slot], gives: "other" };
}
