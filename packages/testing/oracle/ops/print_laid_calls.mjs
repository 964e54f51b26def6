/**
 * Prints recorded calls whose operands lie in rows, a few for each overload that gives new tensors,
 * one a line. `result_strides.py` makes them with operands in other layouts. Which strides a
 * convolution gives depends on the library that PyTorch selects for its sizes: they are left out.
 */
import { defaultOperators } from "@sconce/ops";
import { caseFamilies, readFamily } from "@sconce/ops-cases/node";

const MOST_ELEMENTS = 600;
const MOST_CALLS = 3;

const operators = defaultOperators();
const tensorsOf = (value) =>
  "tensor" in value ? [value] : "list" in value ? value.list.flatMap(tensorsOf) : [];
const isPlain = ({ tensor, strides, storage, shape }) =>
  tensor !== null &&
  strides === undefined &&
  storage === undefined &&
  shape.reduce((a, b) => a * b, 1) <= MOST_ELEMENTS;
const hasLayout = ({ shape }) => shape.filter((size) => size > 1).length >= 2;

function encoded(value) {
  if ("tensor" in value)
    return { data: Buffer.from(value.tensor()).toString("base64"), dtype: value.dtype, shape: value.shape };
  if ("list" in value) return { list: value.list.map(encoded) };
  if ("int" in value) return { int: String(value.int) };
  return "float" in value ? { float: String(value.float) } : value;
}

function isChosen({ target, compare, outputs = [], source, args, kwargs }) {
  const row = operators.get(target);
  if (row === undefined || row.schema.isMutable || row.schema.isView || /^aten\.conv/.test(target))
    return false;
  if (compare === "error" || source === "edges") return false;
  const operands = [...args, ...Object.values(kwargs)].flatMap(tensorsOf);
  return operands.every(isPlain) && operands.some(hasLayout) && outputs.flatMap(tensorsOf).some(hasLayout);
}

for (const family of caseFamilies()) {
  const kinds = new Map();
  for (const one of readFamily(family).filter(isChosen)) {
    const { target, args, kwargs } = one;
    const ranks = [...args, ...Object.values(kwargs)].flatMap(tensorsOf).map(({ shape }) => shape.length);
    const rank = Math.max(...ranks);
    const calls = kinds.get(target) ?? new Map();
    kinds.set(target, calls);
    const kind = `${rank} ${args.length}`;
    if (!calls.has(kind)) calls.set(kind, one);
  }
  for (const calls of kinds.values())
    for (const [, { target, id, args, kwargs }] of [...calls].sort().reverse().slice(0, MOST_CALLS)) {
      const named = Object.fromEntries(Object.entries(kwargs).map(([name, value]) => [name, encoded(value)]));
      console.log(JSON.stringify({ family, target, id, args: args.map(encoded), kwargs: named }));
    }
}
