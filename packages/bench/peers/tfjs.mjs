/** @file TensorFlow.js on its WebAssembly backend: `node tfjs.mjs`. */
import { createRequire } from "node:module";
import { NETWORKS, product, randomNumbers, scaleOf, tokenIds } from "./networks.mjs";
import { serve } from "./serve.mjs";

// The package of the backend finds its binaries beside itself as a CommonJS module only.
const require = createRequire(import.meta.url);
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-wasm");
await tf.setBackend("wasm");
await tf.ready();

/** The layers of one model. Weights are made in the first run, and taken in order in later ones. */
class Layers {
  #weights = [];
  #next = 0;

  run(network, inputs) {
    this.#next = 0;
    return tf.tidy(() => network.run(this, ...inputs));
  }

  dispose() {
    for (const weight of this.#weights) weight.dispose();
  }

  weight(shape, terms = 1) {
    const at = this.#next++;
    this.#weights[at] ??= tf.keep(tf.tensor(randomNumbers(product(shape), scaleOf(terms)), shape));
    return this.#weights[at];
  }

  channels = (x) => x.shape.at(-1);

  conv(x, width, kernel, stride, activation = "linear") {
    const channels = this.channels(x);
    const filter = this.weight([kernel, kernel, channels, width], kernel * kernel * channels);
    return this.#fused(activation, (fused) =>
      tf.fused.conv2d({
        x,
        filter,
        strides: stride,
        pad: kernel >> 1,
        bias: this.weight([width]),
        activation: fused,
      }),
    );
  }

  depthwise(x, kernel, stride, activation = "linear") {
    const channels = this.channels(x);
    const filter = this.weight([kernel, kernel, channels, 1], kernel * kernel);
    return this.#fused(activation, (fused) =>
      tf.fused.depthwiseConv2d({
        x,
        filter,
        strides: stride,
        pad: kernel >> 1,
        bias: this.weight([channels]),
        activation: fused,
      }),
    );
  }

  dense(x, width, activation = "linear") {
    const terms = this.channels(x);
    return tf.fused.matMul({
      a: x,
      b: this.weight([terms, width], terms),
      bias: this.weight([width]),
      activation,
    });
  }

  /** Fuses the activations that TensorFlow.js can fuse. */
  #fused(activation, call) {
    if (activation !== "hardswish") return call(activation);
    return this.activate(call("linear"), activation);
  }

  activate(x, name) {
    switch (name) {
      case "relu":
        return tf.relu(x);
      case "linear":
        return x;
      case "hardsigmoid":
        return tf.mul(tf.relu6(tf.add(x, 3)), 1 / 6);
      case "hardswish":
        return tf.mul(x, this.activate(x, "hardsigmoid"));
      case "gelu":
        return tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));
      case "gelu_tanh": {
        const inner = tf.mul(tf.add(x, tf.mul(tf.mul(tf.square(x), x), 0.044715)), Math.sqrt(2 / Math.PI));
        return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
      }
      default:
        throw new Error(`unknown activation "${name}"`);
    }
  }

  maxPool = (x, kernel, stride) => tf.maxPool(x, kernel, stride, kernel >> 1);
  globalPool = (x, keep = false) => tf.mean(x, [1, 2], keep);
  add = (x, y, activation = "linear") => this.activate(tf.add(x, y), activation);
  mul = (x, y) => tf.mul(x, y);
  matmul = (x, y) => tf.matMul(x, y);
  softmax = (x) => tf.softmax(x);
  embedding = (ids, count, width) => tf.gather(this.weight([count, width], width), ids);

  layerNorm(x) {
    const width = this.channels(x);
    const centered = tf.sub(x, tf.mean(x, -1, true));
    const scale = tf.rsqrt(tf.add(tf.mean(tf.square(centered), -1, true), 1e-5));
    return tf.add(tf.mul(tf.mul(centered, scale), this.weight([width])), this.weight([width]));
  }

  attention(query, key, value, heads, mask) {
    const [length, width] = query.shape;
    const split = (x) => tf.transpose(tf.reshape(x, [length, heads, width / heads]), [1, 0, 2]);
    const scores = tf.mul(tf.matMul(split(query), split(key), false, true), Math.sqrt(heads / width));
    const weights = tf.softmax(mask === undefined ? scores : tf.add(scores, mask));
    return tf.reshape(tf.transpose(tf.matMul(weights, split(value)), [1, 0, 2]), [length, width]);
  }
}

serve((model) => {
  const network = NETWORKS[model];
  if (network === undefined) return "not written for TensorFlow.js";
  const layers = new Layers();
  const inputs = network.inputs.map((shape) =>
    network.integers
      ? tf.tensor(tokenIds(product(shape)), shape, "int32")
      : tf.tensor(randomNumbers(product(shape), 3), shape),
  );
  return {
    run: () => layers.run(network, inputs).dispose(),
    dispose: () => {
      layers.dispose();
      for (const input of inputs) input.dispose();
    },
  };
});
