/**
 * @file The weights of a program that can be stored in fewer bits, and the layers that read them.
 */
import { type Argument, type ExportedProgram, FakeTensor, isRef, itemsOf, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { weightMutated } from "../errors.js";

/** A weight of linear, convolution or embedding layers. */
export interface LayerWeight {
  /** The fully qualified name. */
  readonly target: string;
  /** Placeholders of the weight: one for each name that a tied weight is read by. */
  readonly placeholders: readonly string[];
  /** All names in the state of the program. */
  readonly names: readonly string[];
  /** The values. */
  readonly tensor: Tensor;
  /** The dimension with the output channels: each has its own scales. */
  readonly channelAxis: 0 | 1;
  /** Calls of layers that read the weight. */
  readonly layers: readonly string[];
}

/** Operators that hand a weight on; those that swap the two dimensions of a matrix. */
const PASSES_ON = /^aten\.(t|transpose|permute|numpy_T|detach|alias)\./;

/** Where an operator has its weight, and which dimension of the weight has the channels. */
interface WeightUse {
  readonly position: number;
  readonly name: string;
  readonly axis: (node: Node) => 0 | 1;
}

const rows = (): 0 => 0;
const columns = (): 1 => 1;
const transposed = ({ args, kwargs }: Node): 0 | 1 => ((kwargs.transposed ?? args[6]) === true ? 1 : 0);

const USES: readonly (readonly [RegExp, WeightUse])[] = [
  [/^aten\.linear\.default$/, { position: 1, name: "weight", axis: rows }],
  [/^aten\.addmm\.default$/, { position: 2, name: "mat2", axis: columns }],
  [/^aten\.mm\.default$/, { position: 1, name: "mat2", axis: columns }],
  [/^aten\.matmul\.default$/, { position: 1, name: "other", axis: columns }],
  [/^aten\.convolution\.default$/, { position: 1, name: "weight", axis: transposed }],
  [/^aten\.conv_transpose\dd\./, { position: 1, name: "weight", axis: columns }],
  [/^aten\.conv\dd\./, { position: 1, name: "weight", axis: rows }],
  [/^aten\.embedding\.default$/, { position: 0, name: "weight", axis: rows }],
  [/^aten\._?embedding_bag\./, { position: 0, name: "weight", axis: rows }],
];

const FLOATS: ReadonlySet<string> = new Set(["float32", "float16", "bfloat16"]);

/**
 * Returns the weights that layers of the program's own graph read, in order of the signature. A
 * tied weight is one.
 */
export function layerWeights(program: ExportedProgram): LayerWeight[] {
  return [...readTensors(program)].flatMap(([key, { tensor, placeholders, target }]) => {
    const uses = placeholders.flatMap((name) => layersOf(program, name) ?? []);
    if (uses.length === 0) return [];
    const names = namesOf(program, key);
    const layers = uses.flatMap((use) => use.layers);
    return [{ target, placeholders, names, tensor, channelAxis: uses[0]!.axis, layers }];
  });
}

interface ReadTensor {
  readonly target: string;
  readonly tensor: Tensor;
  readonly placeholders: string[];
}

/**
 * Returns the float tensors of the state that placeholders take, each with all its placeholders.
 */
function readTensors(program: ExportedProgram): Map<string, ReadTensor> {
  const found = new Map<string, ReadTensor>();
  for (const { kind, target, arg } of program.graphSignature.inputSpecs) {
    if (kind === "USER_INPUT" || target === null || !program.graph.has(arg.name)) continue;
    const tensor = program.tensor(target);
    if (tensor === undefined || !FLOATS.has(tensor.dtype) || tensor.ndim < 2) continue;
    const key = keyOf(tensor);
    const known = found.get(key);
    if (known === undefined) found.set(key, { target, tensor, placeholders: [arg.name] });
    else known.placeholders.push(arg.name);
  }
  return found;
}

let storages = 0;
const ids = new WeakMap<object, number>();

/** Returns one text for all views of the same elements. */
function keyOf({ storage, dtype, shape, strides, storageOffset }: Tensor): string {
  let id = ids.get(storage);
  if (id === undefined) {
    id = storages++;
    ids.set(storage, id);
  }
  return [id, dtype, storageOffset, shape.join(), strides.join()].join(" ");
}

const namesOf = ({ stateDict, constants }: ExportedProgram, key: string): string[] =>
  [...stateDict, ...constants].flatMap(([name, tensor]) => (keyOf(tensor) === key ? [name] : []));

/** Returns the layers that read a placeholder as their weight; undefined when none does. */
function layersOf(program: ExportedProgram, placeholder: string) {
  const { graph } = program;
  const layers: string[] = [];
  let axis: 0 | 1 | undefined;
  const follow = (name: string, isSwapped: boolean): void => {
    for (const node of graph.users(name)) {
      const use = USES.find(([target]) => target.test(node.target))?.[1];
      if (use !== undefined) {
        const given = node.args[use.position] ?? node.kwargs[use.name];
        if (!isRef(given) || given.name !== name || ndimOf(graph.node(name)) < 2) continue;
        layers.push(node.name);
        axis ??= flipped(use.axis(node), isSwapped);
      } else if (PASSES_ON.test(node.target)) {
        const swaps = swapsOf(node, ndimOf(graph.node(name)));
        if (swaps !== undefined) follow(node.name, isSwapped !== swaps);
      }
    }
  };
  follow(placeholder, false);
  return axis === undefined ? undefined : { axis, layers };
}

const flipped = (axis: 0 | 1, isSwapped: boolean): 0 | 1 => (isSwapped ? (axis === 0 ? 1 : 0) : axis);

const ndimOf = ({ meta: { val } }: Node): number => (val instanceof FakeTensor ? val.ndim : 0);

/** Returns whether a view swaps the dimensions of a matrix; undefined for views of other kinds. */
function swapsOf({ target, args }: Node, ndim: number): boolean | undefined {
  if (/\.(detach|alias)\./.test(target)) return false;
  if (ndim !== 2) return undefined;
  if (/\.(t|numpy_T)\./.test(target)) return true;
  const dims = (target.includes("permute") ? itemsOf(args[1] as Argument) : args.slice(1)) ?? [];
  const [first, second] = dims.map((dim) => (Number(dim) + 2) % 2);
  if (target.includes("permute")) return first === 1;
  return first !== second;
}

/** @throws SconceError `WEIGHT_MUTATED` for a weight that the program writes to */
export function refuseWrites(program: ExportedProgram, operators: OperatorTable, weight: LayerWeight): void {
  const { graph, graphSignature } = program;
  const written = graphSignature.outputSpecs.find(
    ({ kind, target }) => kind.endsWith("_MUTATION") && weight.names.includes(target ?? ""),
  );
  if (written !== undefined)
    throw weightMutated(written.target!, `%${written.arg.name}`, "the program gives it a new value");
  const seen = new Set<string>();
  const visit = (name: string): void => {
    for (const node of graph.users(name)) {
      const schema = operators.schemaOf(node.target);
      const isWritten = schema?.args.some(({ alias, name: argument }, i) => {
        const given = node.args[i] ?? node.kwargs[argument];
        return alias?.write === true && isRef(given) && given.name === name;
      });
      if (isWritten)
        throw weightMutated(weight.target, `%${node.name} = ${node.target}`, `${node.target} writes to it`);
      if (schema?.isView !== true || seen.has(node.name)) continue;
      seen.add(node.name);
      visit(node.name);
    }
  };
  for (const placeholder of weight.placeholders) visit(placeholder);
}
