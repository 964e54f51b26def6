/**
 * @file Sample inputs: the leaves as `(args, kwargs)` in the containers of the input specification.
 */

import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  deviceText,
  dictKeys,
  type ExportedProgram,
  FakeTensor,
  isFloat,
  isInt,
  type TreeSpec,
  toNumber,
} from "@sconce/ir";
import { type Storage, Tensor } from "@sconce/tensor";
import {
  MarkedTensor,
  type Places,
  PyCall,
  PyDict,
  PyFloat,
  PyGlobal,
  PyTuple,
  type PyValue,
} from "../../torch-save/write-pickle.js";

/** Why sample inputs cannot be written. */
class Unwritable {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Sample inputs to pickle, or why there are none; null for a program that has none. */
export function sampleInputsOf(program: ExportedProgram): PyValue | { readonly reason: string } | null {
  const { exampleInputs, inSpec } = program;
  if (exampleInputs === null || inSpec === undefined) return null;
  try {
    const { leaves, markedDims } = exampleInputs;
    let next = 0;
    return pythonValue(inSpec, () => {
      const position = next++;
      if (position >= leaves.length)
        throw new Unwritable("there are fewer values than the input specification has leaves");
      return leafOf(leaves[position]!, markedDims?.get(position));
    });
  } catch (error) {
    if (error instanceof Unwritable) return { reason: error.reason };
    if (isSconceError(error)) return { reason: error.message };
    throw error;
  }
}

/** Returns the devices of sample inputs that the graph has elsewhere than on the CPU. */
export function inputPlaces({ exampleInputs, graph, graphSignature }: ExportedProgram): Places {
  const places = new Map<Storage, string>();
  const inputs = graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
  for (const [i, { arg }] of inputs.entries()) {
    const [leaf, val] = [exampleInputs?.leaves[i], graph.find(arg.name)?.meta.val];
    if (leaf instanceof Tensor && val instanceof FakeTensor && val.device.type !== "cpu")
      places.set(leaf.storage, deviceText(val.device));
  }
  return places;
}

/** Returns whether sample inputs are left out. */
export const isUnwritable = (
  value: ReturnType<typeof sampleInputsOf>,
): value is { readonly reason: string } => value instanceof Object && "reason" in value;

function leafOf(leaf: Tensor | Argument, markedDims: readonly number[] | undefined): PyValue {
  if (leaf instanceof Tensor) return markedDims === undefined ? leaf : new MarkedTensor(leaf, markedDims);
  if (leaf === null || typeof leaf === "boolean" || typeof leaf === "string") return leaf;
  if (isFloat(leaf)) return new PyFloat(toNumber(leaf));
  if (isInt(leaf)) return leaf;
  throw new Unwritable("a leaf is not a tensor, a number, a text, a bool or None");
}

function pythonValue(spec: TreeSpec, leaf: () => PyValue): PyValue {
  if (spec.type === null) return leaf();
  const children = (): PyValue[] => spec.children.map((child) => pythonValue(child, leaf));
  switch (spec.type) {
    case "builtins.tuple":
      return new PyTuple(children());
    case "builtins.list":
      return children();
    case "builtins.dict":
      return new PyDict(entriesOf(spec, children()));
    case "collections.OrderedDict":
      return collection("OrderedDict", [], { entries: entriesOf(spec, children()) });
    case "collections.defaultdict":
      return collection("defaultdict", factoryOf(spec), { entries: entriesOf(spec, children()) });
    case "collections.deque":
      return collection("deque", typeof spec.context === "number" ? [new PyTuple([]), spec.context] : [], {
        items: children(),
      });
    case "torch.Size":
      return new PyCall(new PyGlobal("torch", "Size"), [new PyTuple(children())]);
    default:
      throw new Unwritable(`they hold a ${spec.type}, which is not a plain container`);
  }
}

const collection = (name: string, ...[args, content]: CollectionParts): PyCall =>
  new PyCall(new PyGlobal("collections", name), args, content);
type CollectionParts = [args: readonly PyValue[], content: Pick<PyCall, "items"> | Pick<PyCall, "entries">];

/** The factories of Python itself, under the names that this protocol of pickles has for them. */
const FACTORIES: ReadonlyMap<unknown, string> = new Map([
  ...["list", "dict", "set", "tuple", "float", "bool"].map((name): [string, string] => [name, name]),
  ["int", "long"],
  ["str", "unicode"],
]);

/** Returns the argument of a defaultdict: what makes missing values. */
function factoryOf({ context }: TreeSpec): readonly PyValue[] {
  const { default_factory_module: module, default_factory_name: name } = context as Readonly<
    Record<string, unknown>
  >;
  if (name === null || name === undefined) return [];
  const known = module === "builtins" ? FACTORIES.get(name) : undefined;
  if (known === undefined) throw new Unwritable("the factory of a defaultdict is a function of a module");
  return [new PyGlobal("__builtin__", known)];
}

function entriesOf(spec: TreeSpec, values: readonly PyValue[]): [PyValue, PyValue][] {
  const keys = dictKeys(spec) ?? [];
  return values.map((value, i) => [keyOf(keys[i]), value]);
}

function keyOf(key: unknown): PyValue {
  if (key === null || typeof key === "string" || typeof key === "boolean") return key;
  if (typeof key === "number") return Number.isInteger(key) ? key : new PyFloat(key);
  throw new Unwritable("a dict has a key that is not a text, a number, a bool or None");
}
