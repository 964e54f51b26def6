/**
 * @file A writer of TensorFlow Lite models, from the interface of layers in `networks.mjs`. Fields
 * are given by their numbers in the schema of TensorFlow Lite.
 */
import * as flatbuffers from "flatbuffers";
import { product, randomNumbers, scaleOf } from "./networks.mjs";

/** Numbers of operators and of their option tables in the schema. */
const ADD = [0, 11];
const CONV_2D = [3, 1];
const DEPTHWISE_CONV_2D = [4, 2];
const FULLY_CONNECTED = [9, 8];
const MAX_POOL_2D = [17, 5];
const MUL = [18, 21];
const RESHAPE = [22, 0];
const SOFTMAX = [25, 9];
const GATHER = [36, 23];
const TRANSPOSE = [39, 0];
const MEAN = [40, 27];
const SUB = [41, 28];
const RSQRT = [76, 0];
const SQUARED_DIFFERENCE = [99, 0];
const HARD_SWISH = [117, 0];
const BATCH_MATMUL = [126, 101];
const GELU = [150, 122];

/** Activations that operators can fuse. */
const FUSED = { linear: 0, relu: 1, relu6: 3 };

/** Types of the schema. */
const FLOAT32 = 0;
const INT32 = 2;

const bytes = (at, value) => (builder) => builder.addFieldInt8(at, value, 0);
const integer = (at, value) => (builder) => builder.addFieldInt32(at, value, 0);
const float = (at, value) => (builder) => builder.addFieldFloat32(at, value, 0);

/** The layers of one model: calls add operators, and results are indexes of tensors. */
export class TfliteLayers {
  #tensors = [];
  #operators = [];
  #codes = [];
  #buffers = [undefined];

  tensor(shape, type = FLOAT32, data) {
    const buffer = data === undefined ? 0 : this.#buffers.push(new Uint8Array(data.buffer)) - 1;
    return this.#tensors.push({ shape, type, buffer }) - 1;
  }

  weight(shape, terms = 1) {
    return this.tensor(shape, FLOAT32, randomNumbers(product(shape), scaleOf(terms)));
  }
  #integers = (...values) => this.tensor([values.length], INT32, Int32Array.from(values));
  #number = (value) => this.tensor([], FLOAT32, Float32Array.of(value));

  shape = (x) => this.#tensors[x].shape;
  channels = (x) => this.shape(x).at(-1);

  /** Adds an operator with the fields of its options. */
  #call([code, options], inputs, shape, ...fields) {
    if (!this.#codes.includes(code)) this.#codes.push(code);
    const output = this.tensor(shape);
    this.#operators.push({ code: this.#codes.indexOf(code), options, inputs, output, fields });
    return output;
  }

  conv(x, width, kernel, stride, activation = "linear") {
    const [batch, rows, columns, channels] = this.shape(x);
    const filter = this.weight([width, kernel, kernel, channels], kernel * kernel * channels);
    const shape = [batch, Math.ceil(rows / stride), Math.ceil(columns / stride), width];
    const y = this.#call(
      CONV_2D,
      [x, filter, this.weight([width])],
      shape,
      integer(1, stride),
      integer(2, stride),
      bytes(3, FUSED[activation] ?? 0),
      integer(4, 1),
      integer(5, 1),
    );
    return activation in FUSED ? y : this.activate(y, activation);
  }

  depthwise(x, kernel, stride, activation = "linear") {
    const [batch, rows, columns, channels] = this.shape(x);
    const filter = this.weight([1, kernel, kernel, channels], kernel * kernel);
    const shape = [batch, Math.ceil(rows / stride), Math.ceil(columns / stride), channels];
    const y = this.#call(
      DEPTHWISE_CONV_2D,
      [x, filter, this.weight([channels])],
      shape,
      integer(1, stride),
      integer(2, stride),
      integer(3, 1),
      bytes(4, FUSED[activation] ?? 0),
      integer(5, 1),
      integer(6, 1),
    );
    return activation in FUSED ? y : this.activate(y, activation);
  }

  dense(x, width, activation = "linear") {
    const [rows, terms] = this.shape(x);
    const inputs = [x, this.weight([width, terms], terms), this.weight([width])];
    return this.#call(FULLY_CONNECTED, inputs, [rows, width], bytes(0, FUSED[activation]), bytes(1, 0));
  }

  activate(x, name) {
    const shape = this.shape(x);
    if (name === "hardswish") return this.#call(HARD_SWISH, [x], shape);
    if (name === "gelu" || name === "gelu_tanh")
      return this.#call(GELU, [x], shape, bytes(0, Number(name === "gelu_tanh")));
    if (name !== "hardsigmoid") throw new Error(`unknown activation "${name}"`);
    const clamped = this.#call(ADD, [x, this.#number(3)], shape, bytes(0, FUSED.relu6));
    return this.#call(MUL, [clamped, this.#number(1 / 6)], shape, bytes(0, 0));
  }

  maxPool(x, kernel, stride) {
    const [batch, rows, columns, channels] = this.shape(x);
    const shape = [batch, Math.ceil(rows / stride), Math.ceil(columns / stride), channels];
    const sizes = [integer(1, stride), integer(2, stride), integer(3, kernel), integer(4, kernel)];
    return this.#call(MAX_POOL_2D, [x], shape, ...sizes, bytes(5, 0));
  }

  globalPool(x, keep = false) {
    const [batch, , , channels] = this.shape(x);
    const shape = keep ? [batch, 1, 1, channels] : [batch, channels];
    return this.#call(MEAN, [x, this.#integers(1, 2)], shape, bytes(0, Number(keep)));
  }

  add = (x, y, activation = "linear") => this.#call(ADD, [x, y], this.shape(x), bytes(0, FUSED[activation]));
  mul = (x, y) => this.#call(MUL, [x, y], this.shape(x), bytes(0, 0));
  softmax = (x) => this.#call(SOFTMAX, [x], this.shape(x), float(0, 1));

  /** A product with constants, as fully connected layers of this format are. */
  matmul(x, y) {
    const [rows, terms] = this.shape(x);
    const inputs = [x, this.weight([this.shape(y)[1], terms], terms)];
    return this.#call(FULLY_CONNECTED, inputs, [rows, this.shape(y)[1]], bytes(0, 0), bytes(1, 0));
  }

  embedding(ids, count, width) {
    return this.#call(GATHER, [this.weight([count, width], width), ids], [this.shape(ids)[0], width]);
  }

  layerNorm(x) {
    const [rows, width] = this.shape(x);
    const mean = this.#call(MEAN, [x, this.#integers(1)], [rows, 1], bytes(0, 1));
    const squares = this.#call(SQUARED_DIFFERENCE, [x, mean], [rows, width]);
    const variance = this.#call(MEAN, [squares, this.#integers(1)], [rows, 1], bytes(0, 1));
    const shifted = this.#call(ADD, [variance, this.#number(1e-5)], [rows, 1], bytes(0, 0));
    const scale = this.#call(RSQRT, [shifted], [rows, 1]);
    const centered = this.#call(SUB, [x, mean], [rows, width], bytes(0, 0));
    const normed = this.mul(centered, scale);
    return this.add(this.mul(normed, this.weight([width])), this.weight([width]));
  }

  #transpose(x, order) {
    return this.#call(
      TRANSPOSE,
      [x, this.#integers(...order)],
      order.map((axis) => this.shape(x)[axis]),
    );
  }
  #reshape = (x, shape) => this.#call(RESHAPE, [x, this.#integers(...shape)], shape);

  attention(query, key, value, heads, mask) {
    const [length, width] = this.shape(query);
    const split = (x) => this.#transpose(this.#reshape(x, [length, heads, width / heads]), [1, 0, 2]);
    const products = this.#call(
      BATCH_MATMUL,
      [split(query), split(key)],
      [heads, length, length],
      bytes(1, 1),
    );
    const scaled = this.mul(products, this.#number(Math.sqrt(heads / width)));
    const weights = this.softmax(mask === undefined ? scaled : this.add(scaled, mask));
    const mixed = this.#call(BATCH_MATMUL, [weights, split(value)], [heads, length, width / heads]);
    return this.#reshape(this.#transpose(mixed, [1, 0, 2]), [length, width]);
  }

  /** The bytes of the model. */
  write(inputs, output) {
    const builder = new flatbuffers.Builder(1 << 20);
    const integers = (values) => {
      builder.startVector(4, values.length, 4);
      for (const value of values.toReversed()) builder.addInt32(value);
      return builder.endVector();
    };
    const offsets = (values) => {
      builder.startVector(4, values.length, 4);
      for (const value of values.toReversed()) builder.addOffset(value);
      return builder.endVector();
    };
    const table = (count, ...fields) => {
      builder.startObject(count);
      for (const field of fields) field(builder);
      return builder.endObject();
    };
    const at = (slot, offset) => () => builder.addFieldOffset(slot, offset, 0);
    const buffers = offsets(
      this.#buffers.map((data) => {
        if (data === undefined) return table(1);
        builder.startVector(1, data.length, 16);
        builder.space -= data.length;
        builder.bb.setPosition(builder.space);
        builder.bb.bytes().set(data, builder.space);
        const vector = builder.endVector();
        return table(1, at(0, vector));
      }),
    );
    const tensors = offsets(
      this.#tensors.map(({ shape, type, buffer }, i) => {
        const [sizes, name] = [integers(shape), builder.createString(`t${i}`)];
        return table(4, at(0, sizes), bytes(1, type), integer(2, buffer), at(3, name));
      }),
    );
    const operators = offsets(
      this.#operators.map(({ code, options, inputs: taken, output: given, fields }) => {
        const [from, to, settings] = [integers(taken), integers([given]), table(8, ...fields)];
        const typed = options === 0 ? [] : [bytes(3, options), at(4, settings)];
        return table(6, integer(0, code), at(1, from), at(2, to), ...typed);
      }),
    );
    const [from, to, name] = [integers(inputs), integers([output]), builder.createString("main")];
    const graphs = offsets([table(5, at(0, tensors), at(1, from), at(2, to), at(3, operators), at(4, name))]);
    const codes = offsets(
      this.#codes.map((code) => table(4, bytes(0, Math.min(code, 127)), integer(2, 1), integer(3, code))),
    );
    const description = builder.createString("bench");
    builder.finish(
      table(6, integer(0, 3), at(1, codes), at(2, graphs), at(3, description), at(4, buffers)),
      "TFL3",
    );
    return builder.asUint8Array();
  }
}
/** The types of inputs. */
export const TYPES = { float32: FLOAT32, int32: INT32 };
