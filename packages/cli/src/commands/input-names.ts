/** @file The inputs of a program by position and by name. */
import { type ExportedProgram, FakeTensor, typeText } from "@sconce/ir";
import { type Leaf, userLeaves } from "@sconce/ops";
import { usage } from "../errors.js";

/** One user input, as the command names it. */
export interface NamedInput {
  /** `i0`: the position among the flattened user inputs. */
  readonly position: string;
  /** The name of the graph's placeholder. */
  readonly name: string;
  /** The parameter of `forward` and the way from it: `batch['mask']`. */
  readonly path: string;
  /** `float32[s0, 12]`, `int` or alike. */
  readonly type: string;
  readonly leaf: Leaf;
  /** What the program declares of a tensor; undefined for other inputs. */
  readonly fake: FakeTensor | undefined;
}

/** Returns the user inputs of a program in flattened order. */
export function namedInputs(program: ExportedProgram): NamedInput[] {
  return userLeaves(program).map((leaf, i): NamedInput => {
    const { val } = program.graph.node(leaf.name).meta;
    const fake = val instanceof FakeTensor ? val : undefined;
    const kind = (val as { readonly kind?: string } | null | undefined)?.kind;
    return {
      position: `i${i}`,
      name: leaf.name,
      path: leaf.place.replace(/^\*args\[\d+\]/, leaf.root),
      type: fake === undefined ? (SCALARS[kind ?? ""] ?? "value") : typeText(fake),
      leaf,
      fake,
    };
  });
}

const SCALARS: Readonly<Record<string, string>> = {
  SymInt: "int",
  SymFloat: "float",
  SymBool: "bool",
  constant: "constant",
};

/**
 * Returns the position of the input that a text names: by position (`i0`), else by name, else by
 * the way to it; undefined when it names none.
 *
 * @throws SconceError `USAGE` if it is the position of one input and the name of another
 */
export function findInput(inputs: readonly NamedInput[], text: string): number | undefined {
  const wanted = [
    ({ position }: NamedInput) => position === text,
    ({ name }: NamedInput) => name === text,
    ({ path, leaf }: NamedInput) => path === text || leaf.place === text,
  ];
  const [position = -1, ...named] = wanted.map((is) => inputs.findIndex(is));
  const byName = named.find((i) => i >= 0);
  if (position < 0 || byName === undefined || byName === position) return position < 0 ? byName : position;
  const [one, two] = [inputs[position]!, inputs[byName]!];
  throw usage(
    `${JSON.stringify(text)} names two inputs: ${one.leaf.place} and ${two.leaf.place}`,
    `name them by their places, ${one.leaf.place} and ${two.leaf.place}`,
  );
}

/** Most inputs that an error lists. */
const LISTED = 12;

/** `i0 x: float32[s0, 12], i1 n: int` */
export function inputsText(inputs: readonly NamedInput[]): string {
  const texts = inputs.map(
    ({ position, name, path, type }) => `${position} ${path === name ? name : `${name} (${path})`}: ${type}`,
  );
  const more = texts.length > LISTED ? `, and ${texts.length - LISTED} more` : "";
  return texts.slice(0, LISTED).join(", ") + more;
}
