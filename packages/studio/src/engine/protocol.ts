/**
 * @file What the page asks of the engine, and what it is given: plain data, so that the engine can
 * run in a worker.
 */
import type { Item, Scene } from "@sconce/drawing";
import type { KernelReport, PlannedValue } from "@sconce/ir";
import type { RanPass, SentProgram, SentRun } from "../playground/messages.js";

/** A program as it was opened, or as a pass left it. */
export interface VersionInfo {
  /** Its number; a pass that changes nothing makes no version. */
  readonly id: number;
  /** The version that the pass got; undefined for an opened program. */
  readonly parent: number | undefined;
  /** The pass with its options, or the name of the file. */
  readonly title: string;
  /** Number of nodes, of nested graphs, too. */
  readonly nodes: number;
  /** The dialect of the program. */
  readonly dialect: string;
}

/** One pass of a pipeline that was run. */
export interface StepInfo extends RanPass {
  /** The version that it got. */
  readonly before: number;
  /** The version that it left; the one that it got where it changed nothing. */
  readonly version: number;
  /** Nodes that only the later version has. */
  readonly added: number;
  /** Nodes that only the earlier version has. */
  readonly removed: number;
  /** Nodes with other arguments, another type or another place. */
  readonly edited: number;
}

/** A rewrite that a rule made within a pass. */
export interface RewriteInfo {
  /** The name of the rule. */
  readonly rule: string;
  /** The node at the root of the match, in the program as it was then. */
  readonly node: string;
}

/** What a scene shows. */
export interface SceneRequest {
  /** The number of the version. */
  readonly version: number;
  /** Keys of open groups; `all` opens every group. */
  readonly open: readonly string[] | "all";
  /** Whether modules are groups. */
  readonly modules: boolean;
  /** Whether parameters, buffers and constants are shown. */
  readonly state: boolean;
  /** A version whose nodes are compared with those of this one. */
  readonly compareWith?: number | undefined;
  /** Keys of nodes that are marked, since two backends compute them differently. */
  readonly differing?: readonly string[] | undefined;
}

/** How a node differs from the version that it is compared with. */
export type Mark = "added" | "removed" | "changed" | "moved";

/** What is marked in the graph: such a node, or one that two backends compute differently. */
export type BoxMark = Mark | "differs";

/** A scene with what its boxes show. */
export interface SceneView {
  /** Boxes and arrows with their places. */
  readonly scene: Scene;
  /** The items of the boxes, and those of the values of arrows. */
  readonly items: readonly (readonly [id: number, item: ShownItem])[];
  /** Marks of shown items; a closed group is marked where something in it is. */
  readonly marks: readonly (readonly [id: number, mark: BoxMark])[];
}

/** What the page knows of an item. */
export type ShownItem = Pick<Item, "key" | "kind" | "title" | "detail" | "node"> & {
  /** Whether it can be opened. */
  readonly isGroup: boolean;
};

/** One match of a search. */
export interface FoundItem {
  /** Names the item. */
  readonly key: string;
  /** What a box of it shows first. */
  readonly title: string;
  /** What a box of it shows below that. */
  readonly detail: string;
  /** The name of the node; undefined for groups. */
  readonly node: string | undefined;
  /** Keys of the groups around it, outermost first: open them to see it. */
  readonly groups: readonly string[];
}

/** A name with what it is. */
export interface Fact {
  /** What is known. */
  readonly name: string;
  /** The text of it. */
  readonly value: string;
}

/** A node that uses a value, or that gives one. */
export interface Neighbor {
  /** Names the item. */
  readonly key: string;
  /** The name of the node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
}

/** All that is known of one item. */
export interface ItemDetails {
  /** Names the item. */
  readonly key: string;
  /** What a box of it shows first. */
  readonly title: string;
  /** Name, operator, type, module. */
  readonly facts: readonly Fact[];
  /** The node as PyTorch prints it. */
  readonly text: string | undefined;
  /** The Python frames of its call. */
  readonly stackTrace: string | undefined;
  /** Nodes that it reads. */
  readonly inputs: readonly Neighbor[];
  /** Nodes that read it. */
  readonly users: readonly Neighbor[];
  /** Steps of passes back to the opened program, the newest first. */
  readonly provenance: readonly string[];
  /** Keys of the groups around it, outermost first. */
  readonly groups: readonly string[];
  /** For nodes of nested graphs the call of the outer graph that runs them. */
  readonly runBy: Neighbor | undefined;
}

/** Where a node runs. */
export interface PlacementRow {
  /** Undefined for a node that only the program as prepared for the backend has. */
  readonly key: string | undefined;
  /** The name of the node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /** Where it runs. */
  readonly place: "device" | "host";
  /** Why, where there is a reason. */
  readonly reason: string | undefined;
}

/** Which parts of a program a backend runs on its device. */
export interface PlacementView {
  /** The name of the backend. */
  readonly backend: string;
  /** The device, in words. */
  readonly device: string;
  /** All calls. */
  readonly rows: readonly PlacementRow[];
}

/** A gray picture: one byte for each element, row by row. */
export interface Picture {
  /** Elements of a row. */
  readonly width: number;
  /** Number of rows. */
  readonly height: number;
  /** The elements: the least one is 0, the greatest one 255. */
  readonly gray: Uint8ClampedArray;
}

/** The elements of a value. */
export interface ValueView {
  /** Count, range, mean, standard deviation, elements that are not finite. */
  readonly statistics: readonly Fact[];
  /** How many elements lie in each of the equal parts of the range. */
  readonly histogram: readonly number[];
  /** The value as PyTorch prints it. */
  readonly text: string;
  /** The last two dimensions of an image-like value; of the first channels. */
  readonly pictures: readonly Picture[];
}

/** Why a node has no elements to show. */
export interface NoValue {
  /** A sentence. */
  readonly reason: string;
}

/** The first element of a slice. The last two dimensions are its rows and columns. */
export interface SliceStart {
  /** The index in each dimension before them. */
  readonly index: readonly number[];
  /** The first row that the table shows; the index of a vector. */
  readonly row: number;
  /** The first column that the table shows. */
  readonly column: number;
}

/** How an element differs from that of the first backend: by more than the tolerance, or less. */
export type ElementMark = "" | "close" | "differs";

/** A slice of the value on one backend. */
export interface SliceTable {
  /** The name of the backend. */
  readonly backend: string;
  /** The elements of a page, row by row. */
  readonly texts: readonly (readonly string[])[];
  /** The whole slice; undefined where it is not two-dimensional, or empty. */
  readonly picture: Picture | undefined;
}

/** A page of a 2-D slice of a value. */
export interface SliceView {
  /** The name of the node. */
  readonly name: string;
  /** Element type. */
  readonly dtype: string;
  /** The sizes of the value. */
  readonly shape: readonly number[];
  /** The first element of the page. */
  readonly start: SliceStart;
  /** Rows of the slice. */
  readonly rows: number;
  /** Columns of the slice. */
  readonly columns: number;
  /** Rows of a full page. */
  readonly pageRows: number;
  /** Columns of a full page. */
  readonly pageColumns: number;
  /** One for each backend. */
  readonly tables: readonly SliceTable[];
  /** How the elements of the second table differ from those of the first. */
  readonly marks?: readonly (readonly ElementMark[])[];
  /** How many elements of the slice differ by more than the tolerance. */
  readonly differing?: number;
  /** The first element of the value that does. */
  readonly firstDifference: SliceStart | undefined;
  /** Why one backend is shown where two were asked for. */
  readonly problem: string | undefined;
}

/** The values of one node on two backends. */
export interface ComparisonRow {
  /** Names the item; undefined where the version has none. */
  readonly key: string | undefined;
  /** The name of the node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /** The dtype and the sizes. */
  readonly type: string;
  /** The largest distance of two elements. */
  readonly maxAbsolute: number;
  /** The largest distance as a part of the first backend's element. */
  readonly maxRelative: number;
  /** Number of elements. */
  readonly elements: number;
  /** How many of them differ by more than the tolerance. */
  readonly differing: number;
  /** Whether the values differ by more than the tolerance. */
  readonly differs: boolean;
  /** Why the elements were not compared. */
  readonly problem: string | undefined;
}

/** Where the inputs of a run come from: they are those of the export, or drawn at random. */
export type InputsOf = "export" | "random";

/**
 * An element differs when it is further than `atol + rtol * |expected|` from that of the first
 * backend.
 */
export interface ToleranceView {
  /** The dtype of the values. */
  readonly dtype: string;
  /** The part that does not depend on the element. */
  readonly atol: number;
  /** The part of the expected element. */
  readonly rtol: number;
}

/** Two backends side by side. */
export interface ComparisonView {
  /** Where the inputs come from. */
  readonly inputs: InputsOf;
  /** The names of the backends; the first is the expected one. */
  readonly backends: readonly [string, string];
  /** All calls whose results are tensors. */
  readonly rows: readonly ComparisonRow[];
  /** The first node that differs. */
  readonly first: string | undefined;
  /** The bounds for the dtypes of the rows. */
  readonly tolerances: readonly ToleranceView[];
}

/** The time of a kernel or a node. */
export interface ProfileRow {
  /** The item that takes most of the time; undefined where the version has none. */
  readonly key: string | undefined;
  /** The calls that it computes, by their names in the version where they come from there. */
  readonly nodes: readonly { readonly key: string | undefined; readonly node: string }[];
  /** What the one that takes most of the time calls. */
  readonly target: string;
  /** Time that it took. */
  readonly milliseconds: number;
  /** Where it ran, for backends with a device. */
  readonly place: "device" | "host" | undefined;
  /** Titles of the modules around the item, the outermost first. */
  readonly modules: readonly string[];
  /** The kernel that ran, by its position in the plan. */
  readonly kernel: number | undefined;
}

/** A kernel of a backend. */
export type KernelView = Omit<KernelReport, "nodes">;

/** The kernels of a run. */
export interface PlanView {
  /** In the order of the run. */
  readonly kernels: readonly KernelView[];
}

/** When a run needs which values. */
export interface MemoryView {
  /**
   * `plan`: between kernels, at planned addresses. `lifetimes`: between calls of the interpreter,
   * which plans no addresses; places are for a drawing alone.
   */
  readonly kind: "plan" | "lifetimes";
  /** Number of kernels or calls. */
  readonly steps: number;
  /** Values that they write. */
  readonly values: readonly (PlannedValue & {
    /** Names the item; undefined where the version has none. */
    readonly key: string | undefined;
  })[];
  /** Bytes of each piece of memory. */
  readonly pieces: readonly number[];
}

/** What calls cost, each by itself. */
export interface CostView {
  /** Arithmetic operations on elements. */
  readonly flops: number;
  /** Bytes that are read and written. */
  readonly bytes: number;
  /** Number of calls. */
  readonly calls: number;
  /** Calls that are not counted, with the reasons. */
  readonly unknown: readonly { readonly node: string; readonly reason: string }[];
}

/** One run of a program. */
export interface ProfileView {
  /** Where the inputs come from. */
  readonly inputs: InputsOf;
  /** The name of the backend. */
  readonly backend: string;
  /** Time to compile. */
  readonly compileMilliseconds: number;
  /** Time of the second run. */
  readonly runMilliseconds: number;
  /** In the order of the run. */
  readonly rows: readonly ProfileRow[];
  /** The results, as PyTorch prints them. */
  readonly results: readonly string[];
  /** The kernels, for backends that make kernels. */
  readonly plan: PlanView | undefined;
  /** The values over the run, for the interpreter and for backends that make kernels. */
  readonly memory: MemoryView | undefined;
}

/** The differences of two versions. */
export interface DifferenceView {
  /** Nodes that differ, with their texts. */
  readonly nodes: readonly {
    readonly key: string | undefined;
    readonly mark: Mark;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
  /** Other lines that only one of the versions has. */
  readonly removed: readonly string[];
  /** Lines that only the second version has. */
  readonly added: readonly string[];
}

/** What a rule says of a node. */
export interface AttemptRow {
  /** The name of the rule. */
  readonly rule: string;
  /** Whether the rule fires. */
  readonly fires: boolean;
  /** Why, where there is a reason. */
  readonly reason: string | undefined;
}

/** Texts of a program. */
export type TextFormat = "program" | "graph" | "ir" | "signature";

/** Formats of files: for PyTorch, IR text with its tensors at the end, JSON IR. */
export type SaveFormat = "pt2" | "sir" | "json";

/** What the engine does, by name: what it is given, and what it gives back. */
export interface Requests {
  /** Opens an archive, JSON IR, or IR text. */
  open(source: Blob, name: string): VersionInfo;
  /** Opens IR text whose tensors are in a safetensors file. */
  openPair(text: Blob, tensors: Blob, name: string): VersionInfo;
  /** Opens a file on a server. */
  openAddress(address: string, name: string): VersionInfo;
  /** Returns a version as a file. */
  save(version: number, format: SaveFormat, name: string): Blob;
  /** Returns what a version shows. */
  scene(request: SceneRequest): SceneView;
  /** Items that have all words of a text. */
  search(version: number, text: string): readonly FoundItem[];
  /** Returns what is known of an item. */
  details(version: number, key: string): ItemDetails | undefined;
  /** Returns a program as text. */
  text(version: number, format: TextFormat): string;
  /** Continuations of a pipeline. */
  complete(pipeline: string): readonly string[];
  /** Runs a pipeline on a version. */
  runPasses(version: number, pipeline: string): readonly StepInfo[];
  /** Returns a version as the playground gets it. */
  pack(version: number): SentProgram;
  /** Returns what passes of the playground did to a version. */
  played(version: number, run: SentRun): readonly StepInfo[];
  /** Returns a program that the playground made. */
  add(name: string, program: SentProgram): VersionInfo;
  /** Returns the rewrites of rules that a pass makes in a version. */
  rewrites(version: number, pass: string): readonly RewriteInfo[];
  /** Returns the version after the first rewrites of a pass. */
  afterRewrites(version: number, pass: string, count: number): VersionInfo;
  /** Returns what is known of a version. */
  version(id: number): VersionInfo;
  /** In what two versions differ. */
  difference(before: number, after: number): DifferenceView;
  /** Where a backend runs each call. */
  placement(version: number, backend: string): PlacementView;
  /** Returns the values of a version on two backends. */
  compare(version: number, backends: readonly [string, string]): ComparisonView;
  /** Compiles and runs a version. */
  profile(version: number, backend: string): ProfileView;
  /** Returns what the calls of an item cost. */
  cost(version: number, key: string): CostView | undefined;
  /** Returns the elements that a node has in a run on the interpreter. */
  values(version: number, key: string): ValueView | NoValue;
  /** Returns a slice of the elements on one backend, the interpreter, or on two. */
  slice(version: number, key: string, backends: readonly string[], start: SliceStart): SliceView | undefined;
  /** Returns what the rules say of a node. */
  explain(version: number, key: string): readonly AttemptRow[];
}

/** Names of what the engine does. */
export type RequestName = keyof Requests;
