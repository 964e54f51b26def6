/** @file Random pickles, and mutations of their opcodes. */
import type { Random } from "../support/random.js";

type Opcode = Uint8Array;

const text = (word: string): number[] => [0x58, word.length, 0, 0, 0, ...Buffer.from(word)];
const WORDS = ["a", "__proto__", "k", "constructor", "cpu", "0", ""];
const GLOBALS = [
  "torch._utils\n_rebuild_tensor_v2\n",
  "collections\nOrderedDict\n",
  "torch\nFloatStorage\n",
  "torch\nSize\n",
  "torch\ndevice\n",
  "builtins\nset\n",
  "posix\nsystem\n",
  "__proto__\nconstructor\n",
  "torch.serialization\n_get_layout\n",
  "my.module\nPoint\n",
];

/** Returns a value of protocol 2 as opcodes. */
export function pickledValue(random: Random, depth: number): number[] {
  const inner = (): number[] => pickledValue(random, depth - 1);
  switch (depth === 0 ? random.below(5) : random.below(9)) {
    case 0:
      return [0x4b, random.below(256)];
    case 1:
      return [0x4a, ...Array.from({ length: 4 }, () => random.below(256))];
    case 2:
      return [random.pick([0x4e, 0x88, 0x89])];
    case 3:
      return text(random.pick(WORDS));
    case 4:
      return [0x8a, 2, random.below(256), random.below(256)];
    case 5:
      return [...inner(), ...inner(), 0x86];
    case 6:
      return [0x5d, 0x28, ...inner(), ...inner(), 0x65];
    case 7:
      return [0x7d, ...text("k"), ...inner(), 0x73];
    default:
      return [0x7d, 0x71, 1, 0x28, ...text("a"), ...inner(), 0x75];
  }
}

/** Bytes of the operands of opcodes; those that are not here have none. */
const OPERANDS: Readonly<Record<number, number>> = {
  128: 1,
  149: 8,
  74: 4,
  75: 1,
  77: 2,
  71: 8,
  113: 1,
  114: 4,
  104: 1,
  106: 4,
};

function lengthAt(bytes: Uint8Array, at: number): number {
  const code = bytes[at]!;
  if (code === 0x63) return bytes.indexOf(10, bytes.indexOf(10, at) + 1) + 1 - at;
  if (code === 0x58) return 5 + (bytes[at + 1] ?? 0) + 256 * (bytes[at + 2] ?? 0);
  if (code === 0x8a || code === 0x8c) return 2 + (bytes[at + 1] ?? 0);
  return 1 + (OPERANDS[code] ?? 0);
}

/** Returns the opcodes of a pickle, each with its operand. */
function opcodesOf(bytes: Uint8Array): Opcode[] {
  const opcodes: Opcode[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Math.max(1, lengthAt(bytes, at));
    opcodes.push(bytes.subarray(at, at + length));
    at += length;
  }
  return opcodes;
}

/** Returns an opcode with an operand. */
function anyOpcode(random: Random): Opcode {
  const small = (): number => random.below(8);
  const choices: readonly (() => number[])[] = [
    () => [0x63, ...Buffer.from(random.pick(GLOBALS))],
    () => [random.pick([0x52, 0x81, 0x62, 0x51, 0x93, 0x28, 0x74, 0x65, 0x75, 0x61, 0x73, 0x85, 0x86, 0x87])],
    () => [0x71, small()],
    () => [0x68, small()],
    () => text(random.pick(WORDS)),
    () => [0x4a, 0xff, 0xff, 0xff, random.pick([0x7f, 0xff])],
    () => [0x8a, 9, ...Array.from({ length: 9 }, () => random.below(256))],
    () => [0x47, ...Array.from({ length: 8 }, () => random.below(256))],
    () => [random.pick([0x29, 0x5d, 0x7d, 0x4e, 0x88, 0x89, 0x2e])],
    () => [random.below(256)],
  ];
  return Uint8Array.from(random.pick(choices)());
}

/** Returns a pickle with a few opcodes removed, repeated, swapped, replaced or added. */
export function mutatePickle(bytes: Uint8Array, random: Random): Uint8Array {
  const opcodes = opcodesOf(bytes);
  for (let i = random.below(3); i >= 0 && opcodes.length > 0; i--) {
    const at = random.below(opcodes.length);
    const choice = random.below(6);
    if (choice === 0) opcodes.splice(at, 1);
    else if (choice === 1) opcodes.splice(at, 0, random.pick(opcodes));
    else if (choice === 2) opcodes.splice(at, 2, ...opcodes.slice(at, at + 2).reverse());
    else if (choice === 3) opcodes.splice(at, 1, anyOpcode(random));
    else if (choice === 4) opcodes.splice(at, 0, anyOpcode(random));
    else opcodes[at] = opcodes[at]!.map((byte, k) => (k > 0 && random.once(2) ? random.below(256) : byte));
  }
  return new Uint8Array(Buffer.concat(opcodes));
}
