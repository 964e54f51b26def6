/** @file A program that was bound for one device becomes one for another. */
import {
  type Argument,
  deviceText,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  kindOf,
  type MetaValue,
  type Node,
  type OperatorLookup,
  parseDevice,
  rebuild,
  requireProgram,
  requireValues,
} from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { definePass } from "../pass/pass.js";
import { badLocation, notADevice } from "./errors.js";
import { withoutValues } from "./without-values.js";

/**
 * Where a program goes: a device for all of it, or the new device of each present one by name:
 * `{ "cuda:0": "cpu" }`. Devices that the object does not name stay.
 */
export type DeviceLocation = string | Readonly<Record<string, string>>;

/**
 * Moves a program to a device (`torch.export.passes.move_to_device_pass`): parameters, buffers,
 * constants, example inputs, the values of all nodes, and the devices that calls name, in nested
 * graphs too. As in PyTorch, a device among the arguments is the text of its name then.
 *
 * Values of tensors stay the same memory. A program that goes to the `meta` device loses them, and
 * one that comes from there needs them first (`withState`).
 *
 * @param location a device such as `cpu`, or devices by the names of the present ones
 * @throws SconceError `INVALID_ARGUMENT` for what is not a device, `NO_VALUES` for state on the
 * `meta` device
 */
export function moveToDevicePass(program: ExportedProgram, location: DeviceLocation): ExportedProgram {
  requireProgram(program, "moveToDevicePass");
  return new Move(program, placesOf(location), defaultOperators()).moved();
}

/** `move-to-device{to=cpu}`, `move-to-device{from=[cuda:0],to=cpu}`. */
export const moveToDevice = definePass({
  name: "move-to-device",
  doc: "Moves a program to another device: state, values, and the devices that calls name.",
  options: {
    to: { default: "cpu", check: deviceFault, doc: "the device to move to, such as cpu or cuda:1" },
    from: { default: [], check: deviceFault, doc: "the devices that move; all when left out" },
  },
  run(program, { note, operators }, { to, from }) {
    const used = new Set<string>();
    const all = from.length === 0 ? to : undefined;
    const placed = (present: string): string => {
      used.add(present);
      return from.includes(present) ? to : (all ?? present);
    };
    const moved = new Move(program, { all, of: placed }, operators).moved();
    for (const name of from) if (!used.has(name)) note?.(`from: nothing is on ${name}`);
    return moved;
  },
});

/** Returns why a value is not a device; undefined when it is one. */
function deviceFault(value: string | number | boolean): string | undefined {
  return parseDevice(String(value)) === undefined ? "is not a device" : undefined;
}

/** Where things go. */
interface Places {
  /** The device that all goes to, where there is one. */
  readonly all?: string | undefined;
  /** Returns the name of the new device of what is on a device. */
  of(present: string): string;
}

/** @throws SconceError `INVALID_ARGUMENT` */
function placesOf(location: unknown): Places {
  if (typeof location === "string") {
    requireDevice(location);
    return { all: location, of: () => location };
  }
  if (typeof location !== "object" || location === null || Array.isArray(location))
    throw badLocation(location);
  const places = new Map<string, unknown>(Object.entries(location));
  for (const [present, next] of places) {
    requireDevice(present);
    requireDevice(next);
  }
  return { of: (present) => (places.get(present) as string | undefined) ?? present };
}

/** @throws SconceError `INVALID_ARGUMENT` */
function requireDevice(name: unknown): void {
  if (typeof name !== "string" || parseDevice(name) === undefined) throw notADevice(name);
}

/** The call whose second argument is a device by position. */
const TO_DEVICE = "aten.to.device";

/** Returns the kind of device that a placeholder's tensor is on. */
function deviceOf(graph: Graph, name: string): string | undefined {
  const val = graph.find(name)?.meta.val;
  return val instanceof FakeTensor ? val.device.type : undefined;
}

class Move {
  readonly #program: ExportedProgram;
  readonly #places: Places;
  readonly #operators: OperatorLookup;
  /** Values that several nodes have stay one object. */
  readonly #values = new Map<FakeTensor, FakeTensor>();
  readonly #emptied = withoutValues();

  constructor(program: ExportedProgram, places: Places, operators: OperatorLookup) {
    this.#program = program;
    this.#places = places;
    this.#operators = operators;
  }

  moved(): ExportedProgram {
    const { graph, stateDict, constants, exampleInputs, graphSignature } = this.#program;
    const placed = this.#graph(graph);
    if (placed === graph) return this.#program;
    const onMeta = new Set<string>();
    let leaves = exampleInputs?.leaves;
    let position = 0;
    for (const { kind, arg, target } of graphSignature.inputSpecs) {
      const [from, to] = [deviceOf(graph, arg.name), deviceOf(placed, arg.name)];
      if (from === "meta" && to !== "meta" && target !== null) this.#requireValues();
      if (kind === "USER_INPUT") {
        if (to === "meta") leaves = leaves?.map((leaf, i) => (i === position ? this.#emptyLeaf(leaf) : leaf));
        position++;
      } else if (to === "meta" && target !== null) onMeta.add(target);
    }
    return this.#program.with({
      graph: placed,
      stateDict: this.#state(stateDict, onMeta),
      constants: this.#state(constants, onMeta),
      exampleInputs: exampleInputs && leaves ? { ...exampleInputs, leaves } : exampleInputs,
    });
  }

  /** Tensors on the meta device have no values. */
  #state(tensors: ReadonlyMap<string, Tensor>, onMeta: ReadonlySet<string>): ReadonlyMap<string, Tensor> {
    if (onMeta.size === 0) return tensors;
    return new Map(
      [...tensors].map(([name, tensor]) => [name, onMeta.has(name) ? this.#emptied(tensor) : tensor]),
    );
  }

  /** @throws SconceError `NO_VALUES` */
  #requireValues(): void {
    requireValues(this.#program, "moving the program from the meta device");
  }

  #graph(graph: Graph): Graph {
    const own = rebuild(graph, (node) => this.#node(node));
    return mapSubgraphs(own, (nested) => this.#graph(nested));
  }

  #node(node: Node): Node | true {
    const val = this.#value(node.meta.val);
    const args = this.#args(node);
    const kwargs = this.#kwargs(node);
    if (val === node.meta.val && args === node.args && kwargs === node.kwargs) return true;
    return { ...node, args, kwargs, meta: val === undefined ? node.meta : { ...node.meta, val } };
  }

  /**
   * Devices by position: that of `to.device`, which becomes a name as in PyTorch, and those of
   * other operators, which PyTorch leaves where they are.
   */
  #args({ target, args }: Node): readonly Argument[] {
    const moved = args.map((value, i) => {
      if (target === TO_DEVICE && i === 1) return this.#argument(value);
      if (kindOf(value) !== "device") return value;
      const present = deviceText(value as FakeTensor["device"]);
      const next = this.#places.of(present);
      return next === present ? value : parseDevice(next)!;
    });
    return moved.every((value, i) => Object.is(value, args[i])) ? args : moved;
  }

  #kwargs({ op, target, kwargs, meta }: Node): Node["kwargs"] {
    if (op !== "call_function") return kwargs;
    if (!Object.hasOwn(kwargs, "device")) {
      const place = meta.val instanceof FakeTensor ? this.#tensor(meta.val) : meta.val;
      // Exports name the device of each factory; calls of other programs mean the CPU without one.
      return place === meta.val || !this.#isFactory(target)
        ? kwargs
        : { ...kwargs, device: deviceText((place as FakeTensor).device) };
    }
    const moved = this.#argument(kwargs.device!);
    return moved === kwargs.device ? kwargs : { ...kwargs, device: moved };
  }

  /** Returns whether an operator takes a device, and no tensor that it would take one from. */
  #isFactory(target: string): boolean {
    const args = this.#operators.schemaOf(target)?.args ?? [];
    return args.some(({ name }) => name === "device") && !args.some(({ type }) => type.base === "Tensor");
  }

  /**
   * Returns a device among arguments: as in PyTorch, its name. None becomes one where all goes
   * there.
   */
  #argument(value: Argument): Argument {
    if (value === null) return this.#places.all ?? null;
    if (typeof value === "string") return this.#places.of(value);
    if (kindOf(value) !== "device") return value;
    return this.#places.of(deviceText(value as FakeTensor["device"]));
  }

  #value<T extends MetaValue | undefined>(value: T): T;
  #value(value: MetaValue | undefined): MetaValue | undefined {
    if (value instanceof FakeTensor) return this.#tensor(value);
    if (!Array.isArray(value)) return value;
    const items = (value as readonly MetaValue[]).map((item) => this.#value(item));
    return items.every((item, i) => item === (value as readonly MetaValue[])[i]) ? value : items;
  }

  #tensor(tensor: FakeTensor): FakeTensor {
    const present = deviceText(tensor.device);
    const next = this.#places.of(present);
    if (next === present) return tensor;
    let moved = this.#values.get(tensor);
    if (moved === undefined) {
      moved = new FakeTensor({ ...tensor, device: parseDevice(next) });
      this.#values.set(tensor, moved);
    }
    return moved;
  }

  #emptyLeaf(leaf: Tensor | Argument): Tensor | Argument {
    return leaf instanceof Tensor ? this.#emptied(leaf) : leaf;
  }
}
