/** @file jax-js on its WebAssembly backend: `node jax.mjs`. */
import * as jax from "@jax-js/jax";
import { NETWORKS, product, randomNumbers, scaleOf } from "./networks.mjs";
import { serve } from "./serve.mjs";

const { numpy: np, nn, lax } = jax;
await jax.init("wasm");
jax.defaultDevice("wasm");

const array = (shape, factor) => np.array(randomNumbers(product(shape), factor)).reshape(shape);

/**
 * The layers of one model. The first run makes the weights, and further ones take them. Images are
 * channels-first here, as the convolutions of jax-js are. Operations take over their operands, so
 * each passes a further reference.
 */
class Layers {
  weights;
  #made = [];
  #next = 0;

  /** The arrays of all weights, which a compiled function takes as arguments. */
  begin(weights) {
    this.weights = weights;
    this.#next = 0;
    return this;
  }

  get made() {
    return this.#made;
  }

  weight(shape, terms = 1) {
    const at = this.#next++;
    if (this.weights !== undefined) return this.weights[at].ref;
    this.#made[at] = array(shape, scaleOf(terms));
    return this.#made[at].ref;
  }

  channels = (x) => (x.shape.length === 4 ? x.shape[1] : x.shape.at(-1));

  #convolve(x, filter, stride, groups, activation) {
    const pad = filter.shape[2] >> 1;
    const width = filter.shape[0];
    const y = lax.convGeneralDilated(
      x.ref,
      filter,
      [stride, stride],
      [
        [pad, pad],
        [pad, pad],
      ],
      {
        featureGroupCount: groups,
      },
    );
    return this.activate(np.add(y, this.weight([1, width, 1, 1])), activation);
  }

  conv(x, width, kernel, stride, activation = "linear") {
    const channels = this.channels(x);
    const filter = this.weight([width, channels, kernel, kernel], kernel * kernel * channels);
    return this.#convolve(x, filter, stride, 1, activation);
  }

  depthwise(x, kernel, stride, activation = "linear") {
    const channels = this.channels(x);
    const filter = this.weight([channels, 1, kernel, kernel], kernel * kernel);
    return this.#convolve(x, filter, stride, channels, activation);
  }

  dense(x, width, activation = "linear") {
    const terms = this.channels(x);
    const product = np.matmul(x.ref, this.weight([terms, width], terms));
    return this.activate(np.add(product, this.weight([width])), activation);
  }

  activate(x, name) {
    switch (name) {
      case "linear":
        return x;
      case "relu":
        return nn.relu(x);
      case "relu6":
        return nn.relu6(x);
      case "hardsigmoid":
        return nn.hardSigmoid(x);
      case "hardswish":
        return np.multiply(x.ref, nn.hardSigmoid(x));
      case "gelu":
        return nn.gelu(x, { approximate: false });
      case "gelu_tanh":
        return nn.gelu(x, { approximate: true });
      default:
        throw new Error(`unknown activation "${name}"`);
    }
  }

  /** Pads with zeros: the networks pool after activations that are not negative. */
  maxPool(x, kernel, stride) {
    const pad = kernel >> 1;
    const padded = np.pad(x.ref, [
      [0, 0],
      [0, 0],
      [pad, pad],
      [pad, pad],
    ]);
    return lax.reduceWindow(padded, np.max, [1, 1, kernel, kernel], [1, 1, stride, stride]);
  }
  globalPool = (x, keep = false) => np.mean(x.ref, [2, 3], { keepdims: keep });
  add = (x, y, activation = "linear") => this.activate(np.add(x.ref, y.ref), activation);
  mul = (x, y) => np.multiply(x.ref, y.ref);
  matmul = (x, y) => np.matmul(x.ref, y.ref);
  softmax = (x) => nn.softmax(x.ref);
  embedding() {
    throw new Error("not written for jax-js");
  }
  layerNorm(x) {
    const width = this.channels(x);
    return np.add(np.multiply(nn.standardize(x.ref), this.weight([width])), this.weight([width]));
  }
}

const channelsFirst = (shape) => (shape.length === 4 ? [shape[0], shape[3], shape[1], shape[2]] : shape);

serve(async (model) => {
  const network = NETWORKS[model];
  if (network.integers) return "not written for jax-js";
  const layers = new Layers();
  const inputs = network.inputs.map((shape) => array(channelsFirst(shape), 3));
  const first = network.run(layers.begin(undefined), ...inputs.map((x) => x.ref));
  await first.blockUntilReady();
  first.dispose();
  const compiled = jax.jit((weights, ...values) => network.run(layers.begin(weights), ...values));
  return {
    async run() {
      const result = compiled(
        layers.made.map((weight) => weight.ref),
        ...inputs.map((x) => x.ref),
      );
      await result.blockUntilReady();
      result.dispose();
    },
  };
});
