/**
 * @file The networks of `models.py`, for runtimes that read neither ONNX nor `.pt2`. Each is a
 * function of an interface of layers; every runtime has its own. Weights are random, and batch
 * norms are folded into convolutions, as exporters of these runtimes do. Images are channels-last.
 */

const RESNET_WIDTHS = [64, 128, 256, 512];

function resnet(layers, image, counts, block) {
  let x = layers.maxPool(layers.conv(image, 64, 7, 2, "relu"), 3, 2);
  for (const [stage, count] of counts.entries())
    for (let i = 0; i < count; i++)
      x = block(layers, x, RESNET_WIDTHS[stage], stage > 0 && i === 0 ? 2 : 1, i);
  return layers.dense(layers.globalPool(x), 1000);
}

function basicBlock(layers, x, width, stride, index) {
  const inner = layers.conv(layers.conv(x, width, 3, stride, "relu"), width, 3, 1);
  const skip = index === 0 && stride > 1 ? layers.conv(x, width, 1, stride) : x;
  return layers.add(inner, skip, "relu");
}

function bottleneck(layers, x, width, stride, index) {
  const inner = layers.conv(layers.conv(x, width, 1, 1, "relu"), width, 3, stride, "relu");
  const skip = index === 0 ? layers.conv(x, 4 * width, 1, stride) : x;
  return layers.add(layers.conv(inner, 4 * width, 1, 1), skip, "relu");
}

/** Expansion, width, count and stride of each group of blocks. */
const MOBILENET_V2 = [
  [1, 16, 1, 1],
  [6, 24, 2, 2],
  [6, 32, 3, 2],
  [6, 64, 4, 2],
  [6, 96, 3, 1],
  [6, 160, 3, 2],
  [6, 320, 1, 1],
];

function mobilenetV2(layers, image) {
  let x = layers.conv(image, 32, 3, 2, "relu6");
  for (const [expansion, width, count, first] of MOBILENET_V2)
    for (let i = 0; i < count; i++) {
      const stride = i === 0 ? first : 1;
      const channels = layers.channels(x);
      const wide = expansion === 1 ? x : layers.conv(x, channels * expansion, 1, 1, "relu6");
      const narrow = layers.conv(layers.depthwise(wide, 3, stride, "relu6"), width, 1, 1);
      x = stride === 1 && channels === width ? layers.add(narrow, x) : narrow;
    }
  return layers.dense(layers.globalPool(layers.conv(x, 1280, 1, 1, "relu6")), 1000);
}

/** Kernel, expanded width, width, width of the squeeze, activation and stride of each block. */
const MOBILENET_V3_SMALL = [
  [3, 16, 16, 8, "relu", 2],
  [3, 72, 24, 0, "relu", 2],
  [3, 88, 24, 0, "relu", 1],
  [5, 96, 40, 24, "hardswish", 2],
  [5, 240, 40, 64, "hardswish", 1],
  [5, 240, 40, 64, "hardswish", 1],
  [5, 120, 48, 32, "hardswish", 1],
  [5, 144, 48, 40, "hardswish", 1],
  [5, 288, 96, 72, "hardswish", 2],
  [5, 576, 96, 144, "hardswish", 1],
  [5, 576, 96, 144, "hardswish", 1],
];

function mobilenetV3Small(layers, image) {
  let x = layers.conv(image, 16, 3, 2, "hardswish");
  for (const [kernel, wide, width, squeeze, activation, stride] of MOBILENET_V3_SMALL) {
    const channels = layers.channels(x);
    let y = wide === channels ? x : layers.conv(x, wide, 1, 1, activation);
    y = layers.depthwise(y, kernel, stride, activation);
    if (squeeze > 0) {
      const squeezed = layers.conv(layers.globalPool(y, true), squeeze, 1, 1, "relu");
      y = layers.mul(y, layers.activate(layers.conv(squeezed, wide, 1, 1), "hardsigmoid"));
    }
    y = layers.conv(y, width, 1, 1);
    x = stride === 1 && channels === width ? layers.add(y, x) : y;
  }
  x = layers.globalPool(layers.conv(x, 576, 1, 1, "hardswish"));
  return layers.dense(layers.activate(layers.dense(x, 1024), "hardswish"), 1000);
}

const WIDTH = 768;
const HEADS = 12;

function bert(layers, ids) {
  let x = layers.layerNorm(layers.add(layers.embedding(ids, 30_522, WIDTH), layers.weight([128, WIDTH])));
  for (let i = 0; i < 4; i++) {
    const [query, key, value] = [0, 1, 2].map(() => layers.dense(x, WIDTH));
    const mixed = layers.attention(query, key, value, HEADS);
    x = layers.layerNorm(layers.add(x, layers.dense(mixed, WIDTH)));
    const up = layers.activate(layers.dense(x, 4 * WIDTH), "gelu");
    x = layers.layerNorm(layers.add(x, layers.dense(up, WIDTH)));
  }
  return x;
}

function gpt(layers, ids) {
  let x = layers.add(layers.embedding(ids, 50_257, WIDTH), layers.weight([64, WIDTH]));
  const mask = layers.weight([1, 64, 64]);
  for (let i = 0; i < 4; i++) {
    const normed = layers.layerNorm(x);
    const [query, key, value] = [0, 1, 2].map(() => layers.dense(normed, WIDTH));
    x = layers.add(x, layers.dense(layers.attention(query, key, value, HEADS, mask), WIDTH));
    const up = layers.activate(layers.dense(layers.layerNorm(x), 4 * WIDTH), "gelu_tanh");
    x = layers.add(x, layers.dense(up, WIDTH));
  }
  return layers.dense(layers.layerNorm(x), 50_257);
}

const IMAGE = [1, 224, 224, 3];
const matmul = (size) => ({
  inputs: [
    [size, size],
    [size, size],
  ],
  run: (layers, x, y) => layers.matmul(x, y),
});

/** Shapes of the inputs and the calls of each model; `integers` marks inputs of token ids. */
export const NETWORKS = {
  mlp: {
    inputs: [[64, 784]],
    run: (layers, x) => layers.dense(layers.dense(layers.dense(x, 512, "relu"), 512, "relu"), 10),
  },
  matmul_256: matmul(256),
  matmul_512: matmul(512),
  matmul_1024: matmul(1024),
  conv3x3: { inputs: [[1, 56, 56, 64]], run: (layers, x) => layers.conv(x, 64, 3, 1) },
  conv1x1: { inputs: [[1, 14, 14, 256]], run: (layers, x) => layers.conv(x, 256, 1, 1) },
  depthwise: { inputs: [[1, 112, 112, 96]], run: (layers, x) => layers.depthwise(x, 3, 1) },
  softmax: { inputs: [[1024, 1024]], run: (layers, x) => layers.softmax(x) },
  layer_norm: { inputs: [[1024, 768]], run: (layers, x) => layers.layerNorm(x) },
  gelu: { inputs: [[1024, 1024]], run: (layers, x) => layers.activate(x, "gelu") },
  add: {
    inputs: [
      [1024, 1024],
      [1024, 1024],
    ],
    run: (layers, x, y) => layers.add(x, y),
  },
  resnet18: { inputs: [IMAGE], run: (layers, x) => resnet(layers, x, [2, 2, 2, 2], basicBlock) },
  resnet50: { inputs: [IMAGE], run: (layers, x) => resnet(layers, x, [3, 4, 6, 3], bottleneck) },
  mobilenet_v2: { inputs: [IMAGE], run: mobilenetV2 },
  mobilenet_v3_small: { inputs: [IMAGE], run: mobilenetV3Small },
  bert4: { inputs: [[128]], integers: true, run: bert },
  gpt4: { inputs: [[64]], integers: true, run: gpt },
};

/** A product of sizes. */
export const product = (shape) => shape.reduce((total, size) => total * size, 1);

/** Random numbers of the range from -0.5 to 0.5 times a factor, the same in every process. */
export function randomNumbers(count, factor = 1) {
  let state = 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * factor;
  });
}
/** The factor that keeps the size of values through a layer with so many terms in a sum. */
export const scaleOf = (terms) => Math.sqrt(12 / terms);

/** Ids of tokens. */
export const tokenIds = (count) => Int32Array.from({ length: count }, (_, i) => (i * 7919) % 30_000);
