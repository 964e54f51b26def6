/** @file What is known of one item, and where a text occurs. */
import type { Item } from "@sconce/drawing";
import {
  annotation,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  inputsOf,
  type Node,
  nodeText,
} from "@sconce/ir";
import { provenance } from "@sconce/ir/history";
import type { Fact, FoundItem, ItemDetails, Neighbor } from "./protocol.js";
import type { Version } from "./versions.js";

/** Most matches that a search gives. */
const MOST_FOUND = 200;

/**
 * Items whose operator, name, type or module has all words of a text. Calls come first and weights
 * last, and what has the words itself precedes what is in a module that has them.
 */
export function search(version: Version, text: string): FoundItem[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const { items } = version.hierarchy();
  const found: { readonly rank: number; readonly item: Item }[] = [];
  const has = (text: string): boolean => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  for (const item of items.slice(1)) {
    const around = `${items[item.parent]!.title} ${moduleOf(items, item)}`;
    const own = `${item.title} ${item.node ?? ""} ${item.detail}`;
    if (!has(`${own} ${around}`)) continue;
    const rank = (has(own) ? 0 : 3) + (item.kind === "call" ? 0 : item.kind === "state" ? 2 : 1);
    found.push({ rank, item });
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST_FOUND)
    .map(({ item }) => {
      const { key, title, detail, node } = item;
      return { key, title, detail, node, groups: groupsAround(items, item) };
    });
}

/** Returns the path of the module that an item is in; that of a module itself. */
const moduleOf = (items: readonly Item[], item: Item): string =>
  [...ancestors(items, item), item]
    .filter(({ kind }) => kind === "module")
    .map(({ title }) => title)
    .join(".");

/** Groups around an item without the program, the outermost first. */
function ancestors(items: readonly Item[], item: Item): Item[] {
  const groups: Item[] = [];
  for (let id = item.parent; id > 0; id = items[id]!.parent) groups.unshift(items[id]!);
  return groups;
}

/** Keys of the groups around an item, the outermost first. */
export const groupsAround = (items: readonly Item[], item: Item): string[] =>
  ancestors(items, item).map(({ key }) => key);

/** Returns all that is known of an item; undefined for a key that the version does not have. */
export function detailsOf(version: Version, key: string): ItemDetails | undefined {
  const item = version.item(key);
  if (item === undefined) return undefined;
  const { items } = version.hierarchy();
  const found = version.nodeOf(item);
  const shared = { key, title: item.title, groups: groupsAround(items, item), runBy: runBy(version, item) };
  if (found === undefined)
    return {
      ...shared,
      facts: groupFacts(items, item),
      text: undefined,
      stackTrace: undefined,
      inputs: [],
      users: [],
      provenance: [],
    };
  const { graph, node } = found;
  const users = graph.users(node.name);
  return {
    ...shared,
    facts: [...nodeFacts(version, node), ...placeFacts(items, item)],
    text: nodeText(node, users.length),
    stackTrace: node.meta.stackTrace,
    inputs: neighbors(version, item, graph, inputsOf(node)),
    users: neighbors(
      version,
      item,
      graph,
      users.map(({ name }) => name),
    ),
    provenance: provenanceLines(version, item, node),
  };
}

/** Returns the call of the outer graph that has the nested graph of an item as an argument. */
function runBy(version: Version, { graph: [target] }: Item): Neighbor | undefined {
  if (target === undefined) return undefined;
  const { graph } = version.program;
  for (const node of graph.nodes()) {
    if (node.op !== "get_attr" || node.target !== target) continue;
    const [user] = graph.users(node.name);
    const key = user && version.keyOf("", user.name);
    if (key !== undefined) return { key, node: user!.name, target: user!.target };
  }
  return undefined;
}

function neighbors(
  version: Version,
  { graph: path }: Item,
  graph: Graph,
  names: readonly string[],
): Neighbor[] {
  return names.flatMap((name) => {
    const key = version.keyOf(path.join("/"), name);
    const node = graph.find(name);
    return key === undefined || node === undefined ? [] : [{ key, node: name, target: node.target }];
  });
}

function groupFacts(items: readonly Item[], item: Item): Fact[] {
  const facts = [{ name: "content", value: item.detail }, ...placeFacts(items, item)];
  return facts.filter(({ value }) => value !== "");
}

function placeFacts(items: readonly Item[], item: Item): Fact[] {
  const path = moduleOf(items, item);
  return path === "" ? [] : [{ name: "module", value: path }];
}

function nodeFacts({ program }: Version, { name, op, target, meta }: Node): Fact[] {
  const facts: Fact[] = [
    { name: "name", value: name },
    { name: "op", value: op },
    { name: "target", value: target },
  ];
  const { val } = meta;
  if (val instanceof FakeTensor) {
    facts.push(
      { name: "shape", value: `[${val.shape.join(", ")}]` },
      { name: "dtype", value: val.dtype },
      { name: "strides", value: `[${val.strides.join(", ")}]` },
      {
        name: "device",
        value: val.device.index === null ? val.device.type : `${val.device.type}:${val.device.index}`,
      },
    );
  } else {
    const type = annotation(val);
    if (type !== undefined) facts.push({ name: "type", value: type });
  }
  const state = stateName(program, name);
  if (state !== undefined) facts.push(state);
  return facts;
}

function stateName(program: ExportedProgram, name: string): Fact | undefined {
  const spec = program.graphSignature.inputSpecs.find(({ arg }) => arg.name === name);
  if (spec === undefined || spec.kind === "USER_INPUT") return undefined;
  return { name: spec.kind.toLowerCase().replaceAll("_", " "), value: spec.target ?? name };
}

/**
 * Steps of passes that made or changed the node, and the nodes of the source that it comes from.
 */
function provenanceLines({ program }: Version, { graph }: Item, { name, op }: Node): string[] {
  if (op !== "call_function") return [];
  const { steps, sources } = provenance(program, [...graph, name].join("."));
  return [
    ...steps.map(({ pass, rule, kind, node, target, from }) => {
      const by = rule === undefined ? pass : `${pass} (rule ${rule})`;
      const sources = kind === "made" && from.length > 0 ? ` from ${from.join(", ")}` : "";
      return `${by} ${kind} ${node} = ${target}${sources}`;
    }),
    ...sources.map(
      ({ node, target, line }) => `source: ${node} = ${target}${line === undefined ? "" : `, ${line}`}`,
    ),
  ];
}
