/** @file The values that a node has in runs on backends. */
import type { LongWorkOptions } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import type { Backend, Sconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import type { Version } from "./versions.js";

/** The value of a node on one backend, or on two. */
export interface NodeValue {
  /** Row-major copies, one for each backend that is shown. */
  readonly tensors: readonly { readonly backend: string; readonly tensor: Tensor }[];
  /** Why there is one backend where two were asked for. */
  readonly problem: string | undefined;
}

/** What a run needs. */
export interface NodeRun {
  readonly version: Version;
  /** The name of a node of the program's own graph. */
  readonly node: string;
  readonly inputs: readonly Value[];
  /** The seed of the session's random numbers. */
  readonly seed: number;
}

/** Keeps the value that was asked for last: the page asks for its parts one by one. */
export class KeptValues {
  #last: { readonly key: string; readonly value: NodeValue | undefined } | undefined;

  /** Returns the value of a node; computed where it is not that of the last request. */
  async get(
    { id }: Version,
    node: string,
    backends: readonly string[],
    compute: () => Promise<NodeValue | undefined>,
  ): Promise<NodeValue | undefined> {
    const key = JSON.stringify([id, node, backends]);
    if (this.#last?.key !== key) this.#last = { key, value: await compute() };
    return this.#last.value;
  }
}

/** Returns why a node has no tensor that the page can show. */
export function whyNoValue(version: Version, key: string): string {
  const item = version.item(key);
  if (item?.node === undefined) return "Select a node: a group has no value.";
  if (item.graph.length > 0)
    return "The node is in a nested graph, which may run many times or never. Only nodes of the outer graph have values here.";
  const { op, meta } = version.nodeOf(item)!.node;
  if (op === "output") return "The node lists the results of the program. Select one of its inputs.";
  const { val } = meta;
  return Array.isArray(val)
    ? "The call returns several values. Select a user of the call that gets one of them."
    : "The value of the node is not a tensor.";
}

/**
 * Returns the tensor of an input, a parameter, a buffer or a constant; undefined for other nodes.
 */
function givenTensor({ version: { program }, node, inputs }: NodeRun): Value | undefined {
  const { inputSpecs } = program.graphSignature;
  const spec = inputSpecs.find(({ arg }) => arg.name === node);
  if (spec === undefined) return undefined;
  if (spec.kind !== "USER_INPUT") return program.tensor(spec.target!);
  return inputs[inputSpecs.filter(({ kind }) => kind === "USER_INPUT").indexOf(spec)];
}

/**
 * Returns the value of a node in a run on the interpreter; undefined for nodes of nested graphs and
 * for values that are not tensors.
 */
export async function interpretedValue(run: NodeRun): Promise<NodeValue | undefined> {
  const { version, node, inputs } = run;
  const [{ createRunner }, { detached, Tensor: TensorClass }] = await Promise.all([
    import("@sconce/backend-cpu"),
    import("@sconce/tensor"),
  ]);
  const shown = (tensor: Tensor): NodeValue => ({
    tensors: [{ backend: "cpu", tensor }],
    problem: undefined,
  });
  const given = givenTensor(run);
  if (given instanceof TensorClass) return shown(detached(given));
  let tensor: Tensor | undefined;
  createRunner()(version.program, inputs, ({ name }, value) => {
    // Later nodes may write to the value: it is copied at once.
    if (name === node && value instanceof TensorClass) tensor = detached(value);
  });
  return tensor && shown(tensor);
}

/** Returns the value of a call on two backends, as `compareBackends` computes it. */
export async function comparedValue(
  session: Sconce,
  { version, node, inputs, seed }: NodeRun,
  backends: readonly [Backend, Backend],
  work: LongWorkOptions,
): Promise<NodeValue | undefined> {
  const [
    { callSources, copyTensor, functionalized, isFunctional, returning },
    { detached, Tensor: TensorClass },
  ] = await Promise.all([import("@sconce/passes"), import("@sconce/tensor")]);
  const { program } = version;
  const isGiven = isFunctional(program, session.operators);
  const functional = isGiven ? program : functionalized(program, session.operators);
  const sources = isGiven ? undefined : callSources(program, functional);
  const name = sources === undefined ? node : [...sources].find(([, source]) => source === node)?.[0];
  if (name === undefined) return undefined;
  const alone = returning(functional, [name]);
  const run = async (backend: Backend): Promise<Value | undefined> => {
    const executable = await session.compile(alone, backend, { signal: work.signal });
    try {
      const own = inputs.map((value) => (value instanceof TensorClass ? copyTensor(value) : value));
      session.services.random.seed(seed);
      const [value] = await executable.run(own, { signal: work.signal });
      return value instanceof TensorClass ? detached(value) : value;
    } finally {
      executable.dispose();
    }
  };
  const [want, got] = [await run(backends[0]), await run(backends[1])];
  if (!(want instanceof TensorClass)) return undefined;
  const [first, second] = backends;
  const shown = { backend: first.name, tensor: want };
  const isSame =
    got instanceof TensorClass && got.dtype === want.dtype && got.shape.join() === want.shape.join();
  if (!isSame) return { tensors: [shown], problem: `${second.name} gives another dtype or shape` };
  return { tensors: [shown, { backend: second.name, tensor: got }], problem: undefined };
}
