/** @file Branches and loops of programs, as calls of functions that hold their graphs. */
import type { Argument, MetaValue, Node } from "@sconce/ir";
import { CannotWrite } from "./cannot-write.js";
import { type HostValue, textOf } from "./host-value.js";

/** What writes the calls around. */
interface Writer {
  argument(value: Argument): HostValue;
  truth(value: HostValue): string;
  constant(text: string): string;
  results(made: string, val: MetaValue): HostValue;
  empty(val: MetaValue | undefined): string;
}
type Write = (writer: Writer, args: readonly Argument[], val: MetaValue | undefined) => string;

const text = (writer: Writer, value: Argument | undefined): string => textOf(writer.argument(value ?? []));

/** Returns a list of operands; a single one is a list too. */
function list(writer: Writer, value: Argument | undefined): string {
  if (value === undefined || value === null) return "[]";
  const given = writer.argument(value);
  return given.kind === "list" ? textOf(given) : `[${textOf(given)}]`;
}

/** Calls the graph at an argument with those from another on. */
const region =
  (at: number, from = at + 1): Write =>
  (writer, args) =>
    `${text(writer, args[at])}(${args
      .slice(from)
      .map((one) => text(writer, one))
      .join(",")})`;
const listed: Write = (writer, [body, operands]) => `${text(writer, body)}(...${list(writer, operands)})`;

const CALLS: ReadonlyMap<string, Write> = new Map<string, Write>([
  [
    "higher_order.cond",
    (writer, [condition, yes, no, operands]) =>
      `(${writer.truth(writer.argument(condition!))}?${text(writer, yes)}:${text(writer, no)})(...${list(writer, operands)})`,
  ],
  [
    "higher_order.map_impl",
    (writer, [body, xs, operands], val) =>
      `k.map(${text(writer, body)},${list(writer, xs)},${list(writer, operands)},${writer.empty(val)})`,
  ],
  [
    "higher_order.while_loop",
    (writer, [condition, body, carried, additional]) =>
      `k.loop(${text(writer, condition)},${text(writer, body)},${list(writer, carried)},${list(writer, additional)})`,
  ],
  [
    "higher_order.while_loop_stack_output",
    (writer, [condition, body, carried, additional]) =>
      `k.rounds(${text(writer, condition)},${text(writer, body)},${list(writer, carried)},${list(writer, additional)})`,
  ],
  [
    "higher_order.switch",
    (writer, [index, branches, operands]) =>
      `k.branch(${text(writer, index)},${list(writer, branches)})(...${list(writer, operands)})`,
  ],
  [
    "higher_order.associative_scan",
    (writer, [combine, xs, additional]) =>
      `k.cumulate(${text(writer, combine)},${list(writer, xs)},${list(writer, additional)})`,
  ],
  [
    "higher_order.scan",
    (writer, [body, init, xs, additional]) =>
      `k.scan(${text(writer, body)},${list(writer, init)},${list(writer, xs)},${list(writer, additional)})`,
  ],
  ["higher_order.wrap", region(0)],
  ["higher_order.wrap_with_set_grad_enabled", region(1)],
  ["higher_order.wrap_activation_checkpoint", region(0)],
  ["higher_order.tag_activation_checkpoint", region(0)],
  ["higher_order.invoke_subgraph", region(0, 2)],
  ["higher_order.strict_mode", listed],
  ["higher_order.hints_wrapper", listed],
]);

/** Returns the results of a call with graphs; undefined for other calls. @throws CannotWrite */
export function loopCode(writer: Writer, { target, args, meta: { val } }: Node): HostValue | undefined {
  if (!target.startsWith("higher_order.")) return undefined;
  const write = CALLS.get(target);
  if (write === undefined) throw new CannotWrite("no module has this kind of control flow");
  return writer.results(writer.constant(write(writer, args, val)), Array.isArray(val) ? val : [val ?? null]);
}
