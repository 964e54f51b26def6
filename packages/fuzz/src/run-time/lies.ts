/** @file Programs whose recorded metadata is not that of their calls. */
import {
  type ExportedProgram,
  FakeTensor,
  isSymScalar,
  type MetaValue,
  type Node,
  rebuild,
  symInt,
} from "@sconce/ir";
import { add, type IntLike, symbolByName } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { Random } from "../support/random.js";

const NUMBERS = [0, 0, 1, 2, 3, 7, 64, 1000, 2 ** 31, 2 ** 33];
const DTYPES: readonly DType[] = ["float64", "int64", "float32", "int32", "bool", "uint8"];

/**
 * Returns the program with other metadata at one call; undefined where it has no call with a value.
 */
export function withLie(program: ExportedProgram, random: Random): ExportedProgram | undefined {
  const calls = program.graph.nodes().filter(({ op, meta }) => op === "call_function" && canLie(meta.val));
  if (calls.length === 0) return undefined;
  const chosen = random.once(2) ? calls.at(-1)! : random.pick(calls);
  const graph = rebuild(program.graph, (node) =>
    node.name === chosen.name
      ? ({ ...node, meta: { ...node.meta, val: lie(node.meta.val!, random) } } as Node)
      : true,
  );
  return program.with({ graph });
}

const canLie = (val: MetaValue | undefined): boolean =>
  val instanceof FakeTensor || isSymScalar(val) || (Array.isArray(val) && val.length > 0);

function lie(val: MetaValue, random: Random): MetaValue {
  if (val instanceof FakeTensor) return tensorLie(val, random);
  if (Array.isArray(val)) {
    const at = random.below(val.length);
    return (val as readonly MetaValue[]).map((item, i) =>
      i === at && item !== null ? lie(item, random) : item,
    );
  }
  return isSymScalar(val) && val.kind === "SymInt" ? symInt(otherSize(val.expr, random)) : val;
}

function tensorLie(val: FakeTensor, random: Random): FakeTensor {
  const changed = (dims: readonly IntLike[]): readonly IntLike[] => {
    if (dims.length === 0) return dims;
    const at = random.below(dims.length);
    return dims.map((size, d) => (d === at ? otherSize(size, random) : size));
  };
  switch (random.below(6)) {
    case 0:
      return new FakeTensor({ ...val, dtype: random.pick(DTYPES) });
    case 1:
      return new FakeTensor({ ...val, shape: changed(val.shape) });
    case 2:
      return new FakeTensor({ ...val, storageOffset: otherSize(val.storageOffset, random) });
    case 3:
      return new FakeTensor({ ...val, shape: [2, ...val.shape], strides: [1, ...val.strides] });
    default:
      return new FakeTensor({ ...val, strides: changed(val.strides) });
  }
}

function otherSize(size: IntLike, random: Random): IntLike {
  if (random.once(3)) return symbolByName(`s${random.below(4)}`);
  return random.once(3) ? add(size, 1) : random.pick(NUMBERS);
}
