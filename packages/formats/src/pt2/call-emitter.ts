/**
 * @file One serialized call as nodes: the call, and the `getitem` nodes that unpack its results.
 */
import { type GraphBuilder, type MetaValue, type Namespace, NO_KWARGS, type NodeMeta, ref } from "@sconce/ir";
import type { Place } from "../json/place.js";
import type { CallArguments } from "./calls.js";
import type { Output } from "./outputs.js";

/** Metadata that does not depend on the value. */
export type StringMeta = Omit<NodeMeta, "val">;

/** What an emitter asks of the graph that it adds to. */
export interface Emission {
  readonly names: Namespace;
  readonly builder: GraphBuilder;
  /** Claims a node name. */
  claim(name: string, place: Place): string;
  /** Defines a value and gives its metadata. */
  define(name: string, place: Place): MetaValue;
  /** Metadata of the next node. */
  meta(val: MetaValue | undefined, rest: StringMeta): NodeMeta;
}

/** A call as the file has it. */
export interface SerializedCall extends CallArguments {
  readonly target: string;
  /** Absent in older files. */
  readonly name: string | undefined;
  readonly meta: StringMeta;
  /** A single result comes in a tuple, as higher-order operators return it. */
  readonly asTuple: boolean;
}

/** A `getitem` node that follows its call. */
interface Getitem {
  readonly name: string;
  readonly source: string;
  readonly index: number;
  readonly val: MetaValue;
}

/** Adds the nodes of a call, named as PyTorch names them. */
export function emitCall(call: SerializedCall, outputs: readonly Output[], to: Emission, place: Place): void {
  const only = outputs.length === 1 ? outputs[0] : undefined;
  if (only?.kind === "value" && !call.asTuple) {
    // The value's name wins over the node's; the name space still counts the latter, as PyTorch's
    // does.
    to.names.create(call.name ?? only.name);
    const val = to.define(only.name, place);
    addCall(call, to.claim(only.name, place), val, to);
    return;
  }
  const created = to.names.create(call.name ?? candidateName(call.target));
  if (outputs.length === 0) {
    // A region without results gives (). PyTorch's loader leaves the value out, which its verifier
    // then refuses.
    const val = call.target.startsWith("higher_order.") ? [] : undefined;
    addCall(call, to.claim(created, place), val, to);
  } else if (only?.kind === "none") {
    // PyTorch renames such a node on loading, so that its name cannot clash.
    const unused = to.names.create(`${candidateName(call.target)}_unused`);
    const form = call.name === undefined ? call.form : { ...call.form, name: call.name };
    addCall({ ...call, form }, to.claim(unused, place), null, to);
  } else {
    unpack(call, to.claim(created, place), outputs, to, place);
  }
}

function addCall(call: SerializedCall, name: string, val: MetaValue | undefined, to: Emission): void {
  const meta = call.form === undefined ? call.meta : { ...call.meta, callForm: Object.freeze(call.form) };
  to.builder.call(name, call.target, call.args, call.kwargs, to.meta(val, meta));
}

function unpack(
  call: SerializedCall,
  name: string,
  all: readonly Output[],
  to: Emission,
  place: Place,
): void {
  const only = all.length === 1 ? all[0] : undefined;
  const outputs = only?.kind === "list" ? only.items : all;
  const items: Getitem[] = [];
  const vals = outputs.map((output, i) => planItem(output, name, i, items, to, place));
  const form = call.form !== undefined && outputs !== all ? { ...call.form, returnsList: true } : call.form;
  addCall({ ...call, form }, name, vals, to);
  for (const { name: item, source, index, val } of items) {
    to.builder.call(item, "operator.getitem", [ref(source), index], NO_KWARGS, to.meta(val, call.meta));
  }
}

/** Plans the `getitem` of one result, nested ones behind it, and gives the result's metadata. */
function planItem(
  output: Output,
  source: string,
  index: number,
  items: Getitem[],
  to: Emission,
  place: Place,
): MetaValue {
  if (output.kind === "value") {
    to.names.create(output.name);
    const val = to.define(output.name, place);
    items.push({ name: to.claim(output.name, place), source, index, val });
    return val;
  }
  if (output.kind === "none") {
    items.push({ name: to.claim(to.names.create("as_none"), place), source, index, val: null });
    return null;
  }
  const name = to.claim(to.names.create("getitem"), place);
  const at = items.push({ name, source, index, val: null }) - 1;
  const val = output.items.map((item, i) => planItem(item, name, i, items, to, place));
  items[at] = { name, source, index, val };
  return val;
}

/**
 * Returns the name that FX makes up for a call: the target's last part, an overload with its
 * operator, in snake case.
 */
function candidateName(target: string): string {
  const parts = target.split(".");
  const isFunction = target.startsWith("torch.") || target.startsWith("higher_order.") || parts.length < 3;
  const name = isFunction ? parts[parts.length - 1]! : parts.slice(-2).join("_");
  return name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
