/** @file A backend that executes programs itself: an `Interpreter` with its own kernels. */
import {
  type Backend,
  type CallArgument,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  Interpreter,
  ir,
  type Node,
  type NodeResult,
  SconceError,
} from "sconce";
import { KERNELS, type SmallKernel } from "./kernels.js";

type Kernels = Readonly<Record<string, SmallKernel>>;

/**
 * Runs operators with given kernels. State, control flow and write-backs are the base class's work.
 */
class SmallInterpreter extends Interpreter {
  readonly #kernels: Kernels;

  constructor(program: ExportedProgram, kernels: Kernels) {
    super(program);
    this.#kernels = kernels;
  }

  protected override callOperator(target: string, args: readonly CallArgument[]): NodeResult {
    return this.#kernels[target]!(...args);
  }
}

/** A backend for a dozen operators on float32 tensors. */
export function smallBackend(kernels: Kernels = KERNELS): Backend {
  return {
    name: "small",
    supports(node, graph) {
      const reason = whyNot(node, graph, kernels);
      return reason === undefined || { reason };
    },
    async compile(program, { exclude = [] } = {}) {
      const node = program.graph.nodes().find(({ target }) => exclude.includes(target));
      if (node !== undefined) throw excluded(node);
      // An interpreter is an `Executable`.
      return new SmallInterpreter(program, kernels);
    },
  };
}

const excluded = ({ name, target }: Node): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_NODES",
    message: `${target} is excluded`,
    where: name,
    fix: "leave the operator out of `exclude`",
  });

/** Why the kernels cannot compute a call; undefined when they can. */
function whyNot(node: Node, graph: Graph, kernels: Kernels): string | undefined {
  if (node.op !== "call_function" || ir.isInterpretedCall(node.target)) return undefined;
  if (!Object.hasOwn(kernels, node.target)) return `no kernel for ${node.target}`;
  const [keyword] = Object.keys(node.kwargs);
  if (keyword !== undefined) return `the keyword ${keyword} is not implemented`;
  const inputs = node.args.flatMap((arg) => (ir.isRef(arg) ? [graph.node(arg.name).meta.val] : []));
  const values = [[node.meta.val].flat()[0], ...inputs];
  const other = values.find((value) => value instanceof FakeTensor && value.dtype !== "float32");
  if (other instanceof FakeTensor) return `dtype ${other.dtype} is not implemented`;
  return node.target === "aten.convolution.default" && !isPlain(node)
    ? "only two-dimensional convolutions with stride, dilation and groups 1 are implemented"
    : undefined;
}

function isPlain({ args: [, , , stride, , dilation, transposed, , groups] }: Node): boolean {
  const isOnes = (sizes: unknown): boolean =>
    Array.isArray(sizes) && sizes.length === 2 && sizes.every((size) => size === 1);
  return isOnes(stride) && isOnes(dilation) && transposed === false && groups === 1;
}
