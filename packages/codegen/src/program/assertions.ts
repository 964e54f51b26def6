import { type Argument, type ExportedProgram, edit, FakeTensor, isRef, kindOf, type Node } from "@sconce/ir";
import { bindArgs, type OperatorTable } from "@sconce/ops";
import { symEquals } from "@sconce/symbolic";

const METADATA = "aten._assert_tensor_metadata.default";

/**
 * Returns the program without assertions about dtype, device, layout and sizes that its own
 * metadata proves: they fail only if the metadata is wrong. Returns the same program if it has
 * none.
 */
export function withoutProvedAssertions(program: ExportedProgram, operators: OperatorTable): ExportedProgram {
  const proved = program.graph.nodes().filter((node) => isProved(node, program, operators));
  if (proved.length === 0) return program;
  const graph = edit(program.graph, (editor) => {
    for (const node of proved) editor.remove(node.name);
  });
  return program.with({ graph });
}

function isProved(node: Node, { graph }: ExportedProgram, operators: OperatorTable): boolean {
  const schema = node.target === METADATA ? operators.schemaOf(METADATA) : undefined;
  if (schema === undefined) return false;
  const values = bindArgs(schema, node.args, node.kwargs, ({ name }) => graph.node(name).meta.val);
  const fake = values["a"];
  if (!(fake instanceof FakeTensor)) return false;
  const agrees = (wanted: readonly unknown[] | null, own: readonly unknown[]): boolean =>
    wanted === null ||
    (wanted.length === own.length && wanted.every((item, d) => symEquals(item as never, own[d] as never)));
  return (
    agrees(values["size"] as unknown[] | null, fake.shape) &&
    agrees(values["stride"] as unknown[] | null, fake.strides) &&
    isSame(values["dtype"], fake.dtype) &&
    isSame(values["layout"], fake.layout) &&
    isSameDevice(values["device"] as Argument, fake)
  );
}
const isSame = (wanted: unknown, own: string): boolean => wanted === null || wanted === own;
const isSameDevice = (device: Argument, fake: FakeTensor): boolean =>
  device === null ||
  (kindOf(device) === "device" && (device as { type: string }).type === fake.device.type && !isRef(device));
