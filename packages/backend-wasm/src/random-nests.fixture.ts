/** @file Random graphs of few operators: views, arithmetic, choices, reductions. */

/** Returns a random number generator of fixed seeds (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type DType = "f32" | "i32" | "b8" | "i64";
interface Value {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}
const typeOf = ({ dtype, shape }: Omit<Value, "name">): string => `${dtype}[${shape.join(", ")}]`;

/** Writes graphs line by line. */
class RandomGraph {
  readonly lines: string[] = [];
  readonly values: Value[] = [];
  readonly #random: (below: number) => number;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }
  pick<T>(items: readonly T[]): T {
    return items[this.#random(items.length)]!;
  }
  put(call: string, value: Omit<Value, "name">): Value {
    const made = { ...value, name: `v${this.values.length}` };
    this.lines.push(`%${made.name}: ${typeOf(value)} = ${call}`);
    this.values.push(made);
    return made;
  }

  /** A view or a value of the same elements. */
  view({ name, dtype, shape }: Value): void {
    const dim = this.#random(Math.max(1, shape.length));
    const size = shape[dim];
    if (size === undefined) return;
    switch (this.#random(5)) {
      case 0: {
        const order = shape.map((_, d) => d).sort(() => this.#random(3) - 1);
        const permuted = order.map((d) => shape[d]!);
        this.put(`aten.permute.default(%${name}, [${order.join(", ")}])`, { dtype, shape: permuted });
        return;
      }
      case 1: {
        const start = this.#random(size);
        const kept = shape.map((one, d) => (d === dim ? size - start : one));
        this.put(`aten.slice.Tensor(%${name}, ${dim}, ${start}, ${size})`, { dtype, shape: kept });
        return;
      }
      case 2:
        this.put(`aten.flip.default(%${name}, [${dim}])`, { dtype, shape });
        return;
      case 3: {
        const padded = shape.map((one, d) => (d === shape.length - 1 ? one + 3 : one));
        if (dtype === "f32")
          this.put(`aten.constant_pad_nd.default(%${name}, [1, 2], 0.5)`, { dtype, shape: padded });
        return;
      }
      default: {
        const count = shape.reduce((a, b) => a * b, 1);
        this.put(`aten.reshape.default(%${name}, [${count}])`, { dtype, shape: [count] });
      }
    }
  }
  /** Arithmetic of two values of one shape, or of one. */
  arithmetic(a: Value): void {
    const others = this.values.filter(
      ({ dtype, shape }) => dtype === a.dtype && shape.join() === a.shape.join(),
    );
    const b = this.pick(others);
    const { dtype, shape } = a;
    const two = (op: string, result = dtype): Value =>
      this.put(`aten.${op}(%${a.name}, %${b.name})`, { dtype: result, shape });
    if (dtype === "f32")
      this.pick([
        () => two("add.Tensor"),
        () => two("mul.Tensor"),
        () => two("maximum.default"),
        () => two("minimum.default"),
        () => two("gt.Tensor", "b8"),
        () => this.put(`aten.tanh.default(%${a.name})`, { dtype, shape }),
        () => this.put(`aten.relu.default(%${a.name})`, { dtype, shape }),
        () => this.put(`aten.abs.default(%${a.name})`, { dtype, shape }),
        // What was rounded may be cut to another integer.
        () =>
          this.put(`aten._to_copy.default(%${this.pick(["x", "y"])}, dtype=int32)`, {
            dtype: "i32",
            shape: this.values[0]!.shape,
          }),
      ])();
    else if (dtype === "b8")
      this.pick([
        () => two("logical_and.default"),
        () => two("logical_xor.default"),
        () => this.put(`aten.logical_not.default(%${a.name})`, { dtype, shape }),
        () => this.put(`aten._to_copy.default(%${a.name}, dtype=float32)`, { dtype: "f32", shape }),
      ])();
    else
      this.pick([
        () => two("add.Tensor"),
        () => two("mul.Tensor"),
        () => two("le.Tensor", "b8"),
        () => this.put(`aten._to_copy.default(%${a.name}, dtype=float32)`, { dtype: "f32", shape }),
      ])();
  }
  choose(mask: Value): void {
    const choices = this.values.filter(
      ({ dtype, shape }) => dtype !== "b8" && shape.join() === mask.shape.join(),
    );
    if (choices.length === 0 || mask.dtype !== "b8") return;
    const a = this.pick(choices);
    const b = this.pick(choices.filter(({ dtype }) => dtype === a.dtype));
    this.put(`aten.where.self(%${mask.name}, %${a.name}, %${b.name})`, { dtype: a.dtype, shape: a.shape });
  }
  reduce({ name, dtype, shape }: Value): void {
    if (shape.length === 0) return;
    const dim = this.#random(shape.length);
    const rest = shape.filter((_, d) => d !== dim);
    const kept = shape.map((one, d) => (d === dim ? 1 : one));
    if (dtype === "b8") this.put(`aten.any.dim(%${name}, ${dim})`, { dtype, shape: rest });
    else if (dtype === "f32")
      this.pick([
        () => this.put(`aten.sum.dim_IntList(%${name}, [${dim}])`, { dtype, shape: rest }),
        () => this.put(`aten.amax.default(%${name}, [${dim}], true)`, { dtype, shape: kept }),
        () => this.put(`aten.argmax.default(%${name}, ${dim})`, { dtype: "i64", shape: rest }),
        () => this.put(`aten._softmax.default(%${name}, ${dim}, false)`, { dtype, shape }),
        () => this.put(`aten.cumsum.default(%${name}, ${dim})`, { dtype, shape }),
      ])();
    else if (dtype === "i64") this.put(`aten.sum.dim_IntList(%${name}, [${dim}])`, { dtype, shape: rest });
  }
}

/** Returns a graph of two inputs in IR text, with their shape. */
export function randomGraph(seed: number): { readonly text: string; readonly shape: readonly number[] } {
  const random = randomOf(seed);
  const graph = new RandomGraph(random);
  const shape = Array.from({ length: 1 + random(3) }, () => 1 + random(random(3) === 0 ? 70 : 9));
  for (const name of ["x", "y"]) graph.values.push({ name, dtype: "f32", shape });
  for (let at = 0; at < 4 + random(8); at++) {
    const value = graph.pick(graph.values.slice(-4));
    const kind = random(6);
    if (kind < 3) graph.arithmetic(value);
    else if (kind === 3) graph.view(value);
    else if (kind === 4) graph.reduce(value);
    else graph.choose(value);
  }
  const results = graph.values.slice(-2).map(({ name }) => `%${name}`);
  const inputs = ["x", "y"].map((name) => `%${name}: ${typeOf({ dtype: "f32", shape })}`).join(", ");
  return { text: `graph(${inputs}) {\n${graph.lines.join("\n")}\nreturn (${results.join(", ")})\n}`, shape };
}
