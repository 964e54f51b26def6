/** @file Calls that take sizes, strides and indices, with operands that may not fit. */
import type { Random } from "../support/random.js";

/** A tensor of a program: its elements are numbers or places. */
export interface Made {
  readonly name: string;
  readonly rank: number;
  readonly isInt: boolean;
}

/** What calls are made of. */
export interface Parts {
  readonly random: Random;
  /** Returns a tensor of a rank, or of any. */
  tensor(rank?: number): Made;
  /** Places in other tensors: integers in one dimension. */
  places(): Made;
  /** Returns a size as text: a small number, or the name of a computed one. */
  size(): string;
}

/** A call as text, and the rank of its result. */
interface Call {
  readonly text: string;
  readonly rank: number;
  readonly isInt?: boolean;
  /** The number of the result that is used, of several. */
  readonly item?: number;
}

/** Makes a call; undefined where no operand fits it at all. */
type CallMaker = (parts: Parts) => Call | undefined;

const list = (count: number, item: () => string): string =>
  `[${Array.from({ length: count }, item).join(", ")}]`;
const dim = ({ random }: Parts, { rank }: Made): number => random.below(Math.max(rank, 1));
const like = ({ rank, isInt }: Made, text: string, more = 0): Call => ({ text, rank: rank + more, isInt });
const ref = ({ name }: Made): string => `%${name}`;

const viewed =
  (target: string): CallMaker =>
  (parts) => {
    const source = parts.tensor();
    const rank = 1 + parts.random.below(3);
    const open = parts.random.once(2) ? parts.random.below(rank) : -1;
    let at = 0;
    const sizes = list(rank, () => (at++ === open ? "-1" : parts.size()));
    return { ...like(source, `aten.${target}.default(${ref(source)}, ${sizes})`), rank };
  };

/** Calls that repeat a tensor along new or old dimensions. */
const spread =
  (target: string, kept: string): CallMaker =>
  (parts) => {
    const source = parts.tensor();
    const rank = source.rank + parts.random.below(2);
    let at = rank - source.rank;
    const sizes = list(rank, () => (at-- <= 0 && parts.random.once(2) ? kept : parts.size()));
    return { ...like(source, `aten.${target}.default(${ref(source)}, ${sizes})`), rank };
  };

const filled =
  (target: string, end: string): CallMaker =>
  (parts) => {
    const rank = 1 + parts.random.below(2);
    return { text: `aten.${target}.default(${list(rank, parts.size)}${end})`, rank };
  };

const filledLike =
  (target: string, end: string): CallMaker =>
  (parts) => {
    const source = parts.tensor();
    const rank = 1 + parts.random.below(2);
    const text = `aten.${target}.default(${ref(source)}, ${list(rank, parts.size)}${end})`;
    return { ...like(source, text), rank };
  };

const onDim =
  (target: string, operands: number, more = 0): CallMaker =>
  (parts) => {
    const source = parts.tensor();
    if (source.rank === 0) return undefined;
    const rest = Array.from({ length: operands }, parts.size).join(", ");
    return like(source, `aten.${target}(${ref(source)}, ${dim(parts, source)}, ${rest})`, more);
  };

const sliced: CallMaker = (parts) => {
  const source = parts.tensor();
  if (source.rank === 0) return undefined;
  const end = parts.random.once(3) ? "9223372036854775807" : parts.size();
  const start = parts.random.once(4) ? `${-1 - parts.random.below(4)}` : parts.size();
  const rest = `${dim(parts, source)}, ${start}, ${end}, ${1 + parts.random.below(2)}`;
  return like(source, `aten.slice.Tensor(${ref(source)}, ${rest})`);
};

const several =
  (target: string, sizes: (parts: Parts) => string): CallMaker =>
  (parts) => {
    const source = parts.tensor();
    if (source.rank === 0) return undefined;
    const text = `aten.${target}(${ref(source)}, ${sizes(parts)}, ${dim(parts, source)})`;
    return { ...like(source, text), item: parts.random.below(2) };
  };

const strided: CallMaker = (parts) => {
  const source = parts.tensor();
  const rank = 1 + parts.random.below(2);
  const sizes = `${list(rank, parts.size)}, ${list(rank, parts.size)}, ${parts.size()}`;
  return { ...like(source, `aten.as_strided.default(${ref(source)}, ${sizes})`), rank };
};

const padded: CallMaker = (parts) => {
  const source = parts.tensor();
  if (source.rank === 0) return undefined;
  const before = parts.random.once(3) ? "-1" : parts.size();
  return like(source, `aten.constant_pad_nd.default(${ref(source)}, [${before}, ${parts.size()}], 5)`);
};

const joined: CallMaker = (parts) => {
  const source = parts.tensor();
  if (source.rank === 0) return undefined;
  const other = parts.tensor(source.rank);
  const isInt = source.isInt && other.isInt;
  return {
    ...like(source, `aten.cat.default([${ref(source)}, ${ref(other)}], ${dim(parts, source)})`),
    isInt,
  };
};

const picked =
  (text: (source: Made, places: Made, at: number) => string, more: number): CallMaker =>
  (parts) => {
    const source = parts.tensor();
    if (source.rank === 0) return undefined;
    return like(source, text(source, parts.places(), dim(parts, source)), more);
  };

const writtenAt =
  (text: (source: Made, places: Made, values: Made) => string): CallMaker =>
  (parts) => {
    const [source, values] = [parts.tensor(1), parts.tensor(1)];
    if (source.rank !== 1 || values.rank !== 1 || source.isInt !== values.isInt) return undefined;
    return like(source, text(source, parts.places(), values));
  };

const two =
  (target: string): CallMaker =>
  (parts) => {
    const [a, b] = [parts.tensor(), parts.tensor()];
    const rank = Math.max(a.rank, b.rank);
    return { text: `aten.${target}(${ref(a)}, ${ref(b)})`, rank, isInt: a.isInt && b.isInt };
  };

const turned: CallMaker = (parts) => {
  const source = parts.tensor(2);
  return source.rank === 2 ? like(source, `aten.permute.default(${ref(source)}, [1, 0])`) : undefined;
};

const summed: CallMaker = (parts) => {
  const source = parts.tensor();
  if (source.rank === 0) return undefined;
  return like(source, `aten.sum.dim_IntList(${ref(source)}, [${dim(parts, source)}])`, -1);
};

const matrices: CallMaker = (parts) => {
  const [a, b] = [parts.tensor(2), parts.tensor(2)];
  if (a.rank !== 2 || b.rank !== 2 || a.isInt || b.isInt) return undefined;
  return { text: `aten.mm.default(${ref(a)}, ${ref(b)})`, rank: 2 };
};

/** All kinds of calls; those that read by sizes come more often. */
export const CALLS: readonly CallMaker[] = [
  viewed("view"),
  viewed("view"),
  viewed("reshape"),
  spread("expand", "-1"),
  spread("expand", "-1"),
  spread("repeat", "1"),
  sliced,
  sliced,
  onDim("select.int", 1, -1),
  onDim("narrow.default", 2),
  onDim("unfold.default", 2, 1),
  several("split.Tensor", ({ size }) => size()),
  several("split_with_sizes.default", ({ size }) => `[${size()}, ${size()}]`),
  several("chunk.default", () => "2"),
  strided,
  filled("full", ", 3.0"),
  filled("zeros", ""),
  filledLike("new_zeros", ""),
  filledLike("new_full", ", 2"),
  (parts) => ({ text: `aten.arange.default(${parts.size()})`, rank: 1, isInt: true }),
  (parts) => ({ text: `aten.arange.start(${parts.size()}, ${parts.size()})`, rank: 1, isInt: true }),
  padded,
  joined,
  two("copy.default"),
  two("add.Tensor"),
  two("mul.Tensor"),
  picked((source, places, at) => `aten.index_select.default(${ref(source)}, ${at}, ${ref(places)})`, 0),
  picked((source, places) => `aten.index.Tensor(${ref(source)}, [${ref(places)}])`, 0),
  (parts) => {
    const [source, places] = [parts.tensor(1), parts.places()];
    return source.rank === 1
      ? like(source, `aten.gather.default(${ref(source)}, 0, ${ref(places)})`)
      : undefined;
  },
  picked((source, places, at) => `aten.index_fill.int_Scalar(${ref(source)}, ${at}, ${ref(places)}, 2)`, 0),
  writtenAt((source, places) => `aten.scatter.value(${ref(source)}, 0, ${ref(places)}, 2)`),
  writtenAt(
    (source, places, values) => `aten.scatter_add.default(${ref(source)}, 0, ${ref(places)}, ${ref(values)})`,
  ),
  writtenAt(
    (source, places, values) => `aten.index_put.default(${ref(source)}, [${ref(places)}], ${ref(values)})`,
  ),
  writtenAt(
    (source, places, values) => `aten.index_add.default(${ref(source)}, 0, ${ref(places)}, ${ref(values)})`,
  ),
  (parts) => {
    const [source, places] = [parts.tensor(2), parts.places()];
    return source.rank === 2
      ? like(source, `aten.embedding.default(${ref(source)}, ${ref(places)})`)
      : undefined;
  },
  (parts) => {
    const source = parts.tensor();
    if (source.rank === 0) return undefined;
    // Not a computed size: kernels divide exact integers, where the interpreter refuses 2^53 and
    // more.
    const shift = parts.random.once(2) ? "%n" : String(parts.random.below(9) - 4);
    return like(source, `aten.roll.default(${ref(source)}, [${shift}], [${dim(parts, source)}])`);
  },
  (parts) => {
    const source = parts.tensor(2);
    if (source.rank !== 2) return undefined;
    return like(source, `aten.diagonal.default(${ref(source)}, ${parts.random.below(4) - 2})`, -1);
  },
  (parts) => {
    const source = parts.tensor();
    return source.rank === 0
      ? undefined
      : like(source, `aten.flip.default(${ref(source)}, [${dim(parts, source)}])`);
  },
  turned,
  summed,
  matrices,
];
