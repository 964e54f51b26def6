import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { manualSeed } from "../trace/eager.js";
import * as init from "./init.js";
import { Conv2d } from "./layers/conv.js";
import { Embedding } from "./layers/embedding.js";
import { Linear } from "./layers/linear.js";

const empty = (...shape: number[]): Tensor =>
  Tensor.from(new Float32Array(shape.reduce((a, b) => a * b, 1)), shape, "float32");

// Numbers of PyTorch 2.14 after `torch.manual_seed(7)`
// (`packages/testing/oracle/initializations.py`).
describe("weights are PyTorch's", () => {
  test.each<[string, () => Tensor, number[]]>([
    [
      "Linear(3, 4).weight",
      () => new Linear(3, 4).weight,
      [
        0.040325075, -0.347792119, 0.183841825, 0.181161284, -0.308580369, -0.086531632, -0.338227928,
        0.149806648, -0.155519515, 0.405609757, 0.409853041, 0.058814913,
      ],
    ],
    [
      "Linear(3, 4).bias",
      () => new Linear(3, 4).bias!,
      [-0.246137112, -0.339113146, -0.063404404, -0.162482589],
    ],
    [
      "Linear(8, 3).weight",
      () => new Linear(8, 3).weight,
      [
        0.024693964, -0.212978303, 0.112579666, 0.110938177, -0.18896611, -0.052989587, -0.207121447,
        0.091737464, -0.095235862, 0.248384222, 0.250982702, 0.036016632, -0.150727585, -0.207663551,
        -0.03882711, -0.099499859, 0.155832484, -0.301897883, 0.332283348, -0.277336806, 0.270735323,
        -0.061396156, 0.181863949, 0.137777999,
      ],
    ],
    [
      "Conv2d(2, 3, 3).weight",
      () => new Conv2d(2, 3, 3).weight,
      [
        0.016462643, -0.141985536, 0.075053111, 0.073958784, -0.125977412, -0.035326391, -0.138080969,
        0.061158307, -0.063490577, 0.165589496, 0.167321816, 0.024011089, -0.100485057, -0.138442367,
        -0.02588474, -0.066333242, 0.103888333, -0.201265246, 0.221522242, -0.184891194,
      ],
    ],
    [
      "Embedding(5, 4).weight",
      () => new Embedding(5, 4).weight,
      [
        -0.820134521, 0.395631164, 0.898908496, -1.388403893, 0.198445052, 0.782072663, 1.03910768,
        -0.724510729, -0.848908603, -1.216929436, -0.081021585, 1.361485124, -2.0614779, 0.674100697,
        -1.32334578, -1.359768987, -0.866701603, -0.564006686, -2.056462526, -0.356722534,
      ],
    ],
    [
      "Embedding(3, 4).weight",
      () => new Embedding(3, 4).weight,
      [
        -0.146795094, 0.786141276, 0.94682163, -1.114344001, 1.690790176, -0.894827902, -0.355625033,
        1.232385755, 0.138172656, -1.682198524, 0.317678303, 0.132806972,
      ],
    ],
    [
      "uniform_",
      () => init.uniform_(empty(2, 3), -1, 2),
      [0.604767621, -0.403590441, 0.977635086, 0.970670819, -0.301715314, 0.275184214],
    ],
    [
      "normal_",
      () => init.normal_(empty(2, 3), 1, 2),
      [0.706409812, 2.572282553, 2.893643141, -1.228688002, 4.381580353, -0.789655745],
    ],
    [
      "normal_ 20",
      () => init.normal_(empty(4, 5)),
      [
        -0.820134521, 0.395631164, 0.898908496, -1.388403893, 0.198445052, 0.782072663, 1.03910768,
        -0.724510729, -0.848908603, -1.216929436, -0.081021585, 1.361485124, -2.0614779, 0.674100697,
        -1.32334578, -1.359768987, -0.866701603, -0.564006686, -2.056462526, -0.356722534,
      ],
    ],
    [
      "kaimingUniform_",
      () => init.kaimingUniform_(empty(3, 4), { a: 0.5, mode: "fan_out" }),
      [
        0.088347815, -0.761974335, 0.402777255, 0.396904469, -0.676065683, -0.18958132, -0.741020262,
        0.328209937, -0.340726167, 0.888646424, 0.89794302, 0.128857017,
      ],
    ],
    [
      "kaimingNormal_",
      () => init.kaimingNormal_(empty(3, 4), { nonlinearity: "relu" }),
      [
        -0.103799812, 0.555885851, 0.669503987, -0.787960231, 1.195569158, -0.632738888, -0.251464874,
        0.871428311, 0.097702831, -1.189494014, 0.224632487, 0.093908705,
      ],
    ],
    [
      "xavierUniform_",
      () => init.xavierUniform_(empty(3, 4), 2),
      [
        0.129327953, -1.115416288, 0.58960557, 0.581008673, -0.989658892, -0.27751863, -1.084742546,
        0.480450153, -0.498772055, 1.300845265, 1.314454079, 0.188627362,
      ],
    ],
    [
      "xavierNormal_",
      () => init.xavierNormal_(empty(3, 4, 2)),
      [
        -0.309981704, 0.149534523, 0.339755476, -0.524767339, -0.063118562, 0.107776552, -0.242309824,
        -0.337769985, -0.320857286, -0.45995608, -0.03062328, 0.514593005, -0.492569596, 0.033063717,
        -0.52346617, 0.190329254, -0.327582419, -0.213174492, -0.777269781, -0.134828448, 0.414090484,
        0.182312742, 0.528741419, 0.531362474,
      ],
    ],
    [
      "truncNormal_",
      () => init.truncNormal_(empty(3, 4), { std: 1.5, a: -1, b: 1 }),
      [
        -0.220192641, 0.360819191, -0.115981057, -0.904272437, 0.822822154, 0.304137439, -0.53343755,
        -0.124779575, 0.207258999, 0.918774843, 0.476517469, 0.19921045,
      ],
    ],
    [
      "truncNormal_ 20",
      () => init.truncNormal_(empty(4, 5), { a: -0.9, b: 1 }),
      [
        -0.820134521, 0.395631164, 0.898908496, -0.605680287, 0.198445052, 0.782072663, 0.363575846,
        -0.724510729, -0.848908603, 0.299141854, -0.081021585, -0.163454875, 0.690124393, 0.674100697,
        0.26587373, -0.190681383, -0.866701603, -0.564006686, -0.062567398, -0.356722534,
      ],
    ],
    [
      "truncNormal_ far",
      () => init.truncNormal_(empty(3, 4), { a: 1.5, b: 2.5 }),
      [
        2.0349226, 1.698803186, 1.591377735, 2.128589153, 1.627754331, 1.925061464, 1.604923725, 2.129736423,
        1.901246309, 1.592191696, 1.862461329, 1.913566351,
      ],
    ],
    [
      "truncNormal_ far 20",
      () => init.truncNormal_(empty(4, 5), { a: 1.5, b: 2.5 }),
      [
        2.427789927, 1.698803186, 1.733150482, 2.431413651, 1.732761621, 1.876249313, 1.913418651,
        1.935457587, 2.027801752, 2.351268291, 1.591377735, 1.844083428, 1.532577157, 1.706319332,
        1.604923725, 1.653919697, 1.767390251, 1.573051929, 2.2264328, 1.607786536,
      ],
    ],
    [
      "orthogonal_",
      () => init.orthogonal_(empty(3, 4), 2),
      [
        -0.176153421, 0.943365693, 1.136181355, -1.337207317, 1.86806035, -0.170582592, 0.664750218,
        0.198390782, -0.382314384, -1.72857213, 0.781528652, -0.50506109,
      ],
    ],
    [
      "orthogonal_ tall",
      () => init.orthogonal_(empty(4, 1, 2)),
      [
        -0.0743016, 0.515543342, 0.47924149, -0.275296897, 0.855807245, 0.352633327, -0.180002511,
        0.730805397,
      ],
    ],
    [
      "dirac_",
      () => init.dirac_(empty(4, 2, 3), 2),
      [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
    ],
    [
      "dirac_ 4",
      () => init.dirac_(empty(2, 2, 2, 3)),
      [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
    ],
    ["eye_", () => init.eye_(empty(2, 3)), [1, 0, 0, 0, 1, 0]],
    [
      "sparse_",
      () => init.sparse_(empty(4, 5), 0.4, 0.5),
      [
        0, 0, 0, -0.694201946, 0, 0.391036332, 0.51955384, -0.362255365, 0, -0.608464718, -0.040510792, 0,
        -1.03073895, 0, 0, 0, -0.433350801, 0, -1.028231263, -0.178361267,
      ],
    ],
  ])("%s", (name, make, expected) => {
    // Logarithms and roots of the C library may differ in the last bit.
    const tolerance = /trunc|rthogonal|sparse/.test(name) ? 2e-6 : 1e-9;
    manualSeed(7);
    const values = make().toArray().map(Number).slice(0, expected.length);
    expect(values).toHaveLength(expected.length);
    values.forEach((value, i) => {
      expect(Math.abs(value - expected[i]!), `${value} at ${i}`).toBeLessThanOrEqual(tolerance);
    });
  });
});

test.each<[string, () => unknown]>([
  ["Only tensors with 3, 4, or 5 dimensions are supported", () => init.dirac_(empty(2, 2))],
  ["dim 0 must be divisible by groups", () => init.dirac_(empty(3, 2, 2), 2)],
  ["Only tensors with 2 dimensions are supported", () => init.eye_(empty(2))],
  ["Only tensors with 2 dimensions are supported", () => init.sparse_(empty(2), 0.1)],
  ["Only tensors with 2 or more dimensions are supported", () => init.orthogonal_(empty(2))],
  ["Unsupported nonlinearity gelu", () => init.calculateGain("gelu")],
  [
    "Mode x not supported, please use one of ['fan_in', 'fan_out']",
    () => init.kaimingUniform_(empty(2, 2), { mode: "x" as never }),
  ],
  [
    "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
    () => init.xavierUniform_(empty(2)),
  ],
])("PyTorch refuses with the same words: %s", (message, run) => {
  expect(run).toThrow(expect.objectContaining({ code: "LAYER_ARGUMENTS", message }));
});

test("settings stand in PyTorch's places, or have names", () => {
  const drawn = (fill: (tensor: Tensor) => Tensor): string => {
    manualSeed(0);
    return fill(empty(4, 3)).toString();
  };
  const same = (a: (tensor: Tensor) => Tensor, b: (tensor: Tensor) => Tensor): void =>
    expect(drawn(a)).toBe(drawn(b));
  same(
    (t) => init.kaimingNormal_(t, 0, "fan_out", "relu"),
    (t) => init.kaimingNormal_(t, { mode: "fan_out", nonlinearity: "relu" }),
  );
  same(
    (t) => init.truncNormal_(t, 0, 0.02),
    (t) => init.truncNormal_(t, { std: 0.02 }),
  );
  same(
    (t) => init.normal_(t, 0, 2),
    (t) => init.normal_(t, { std: 2 }),
  );
  same(
    (t) => init.orthogonal_(t, 2),
    (t) => init.orthogonal_(t, { gain: 2 }),
  );
  expect(drawn((t) => init.xavierUniform_(t, 2))).not.toBe(drawn((t) => init.xavierUniform_(t)));
  expect(() => init.uniform_(empty(2), { low: 1 } as never)).toThrow("low");
  expect(() => init.xavierNormal_(empty(2, 2), ...([1, 2] as never))).toThrow(/takes 1 optional argument/);
});
