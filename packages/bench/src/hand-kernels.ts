/**
 * @file What an author who knows gpu.js would write by hand: the kernels that generated ones are
 * measured against.
 */

/**
 * One kernel of a chain: its source, its output, and which of the values so far it takes, inputs
 * first.
 */
interface HandKernel {
  readonly source: string;
  readonly output: readonly number[];
  readonly takes: readonly number[];
}
export interface HandWritten {
  readonly name: string;
  /** The same operation as a program of Sconce's, as text that `parseIr` reads. */
  readonly program: string;
  /** Shapes of the inputs; a kernel sees each as a nested array of them. */
  readonly shapes: readonly (readonly number[])[];
  /** The last kernel's output is the result. */
  readonly kernels: readonly HandKernel[];
  /** Operations of one run. */
  readonly flops: number;
}

/** Returns a program whose result is `%r`. */
function program(inputs: string, calls: string): string {
  const given = [...inputs.matchAll(/%(\w+):/g)].map(([, name]) => `  input %${name}: USER_INPUT\n`);
  const signature = `program "ATEN" {\n${given.join("")}  output %r: USER_OUTPUT\n}`;
  return `sconce-ir 1\n${signature}\ngraph(${inputs}) {\n${calls}\n  return (%r)\n}`;
}

/**
 * Rows of a matrix product, with the inner index running fastest to the advantage of both operands.
 */
function matmul(n: number): HandWritten {
  return {
    name: `matmul ${n}`,
    program: program(
      `%a: f32[${n}, ${n}], %b: f32[${n}, ${n}]`,
      `  %r: f32[${n}, ${n}] = aten.mm.default(%a, %b)`,
    ),
    shapes: [
      [n, n],
      [n, n],
    ],
    kernels: [
      {
        source: `function(a, b) { let s = 0; for (let k = 0; k < ${n}; k++) { s += a[this.thread.y][k] * b[k][this.thread.x]; } return s; }`,
        output: [n, n],
        takes: [0, 1],
      },
    ],
    flops: 2 * n ** 3,
  };
}

/**
 * Greatest, sum and quotient in their own kernels: many times faster than one kernel that does
 * all for each element.
 */
function softmax(rows: number, columns: number): HandWritten {
  const loop = (body: string): string => `for (let i = 0; i < ${columns}; i++) { ${body} }`;
  return {
    name: `softmax ${rows}x${columns}`,
    program: program(
      `%x: f32[${rows}, ${columns}]`,
      `  %r: f32[${rows}, ${columns}] = aten._softmax.default(%x, -1, false)`,
    ),
    shapes: [[rows, columns]],
    kernels: [
      {
        source: `function(x) { let m = x[this.thread.x][0]; ${loop("m = Math.max(m, x[this.thread.x][i]);")} return m; }`,
        output: [rows],
        takes: [0],
      },
      {
        source: `function(x, m) { let s = 0; ${loop("s += Math.exp(x[this.thread.x][i] - m[this.thread.x]);")} return s; }`,
        output: [rows],
        takes: [0, 1],
      },
      {
        source:
          "function(x, m, s) { return Math.exp(x[this.thread.y][this.thread.x] - m[this.thread.y]) / s[this.thread.y]; }",
        output: [columns, rows],
        takes: [0, 1, 2],
      },
    ],
    flops: 5 * rows * columns,
  };
}

function layerNorm(rows: number, columns: number): HandWritten {
  const loop = (body: string): string => `for (let i = 0; i < ${columns}; i++) { ${body} }`;
  return {
    name: `layer norm ${rows}x${columns}`,
    program: program(
      `%x: f32[${rows}, ${columns}], %w: f32[${columns}], %b: f32[${columns}]`,
      `  %n: (f32[${rows}, ${columns}], f32[${rows}, 1], f32[${rows}, 1]) = aten.native_layer_norm.default(%x, [${columns}], %w, %b, 1e-5)\n  %r: f32[${rows}, ${columns}] = operator.getitem(%n, 0)`,
    ),
    shapes: [[rows, columns], [columns], [columns]],
    kernels: [
      {
        source: `function(x) { let s = 0; ${loop("s += x[this.thread.x][i];")} return s / ${columns}; }`,
        output: [rows],
        takes: [0],
      },
      {
        source: `function(x, m) { let s = 0; ${loop("const d = x[this.thread.x][i] - m[this.thread.x]; s += d * d;")} return 1 / Math.sqrt(s / ${columns} + 0.00001); }`,
        output: [rows],
        takes: [0, 3],
      },
      {
        source:
          "function(x, w, b, m, r) { return (x[this.thread.y][this.thread.x] - m[this.thread.y]) * r[this.thread.y] * w[this.thread.x] + b[this.thread.x]; }",
        output: [columns, rows],
        takes: [0, 1, 2, 3, 4],
      },
    ],
    flops: 8 * rows * columns,
  };
}

/** 3x3, stride 1, padding 1, with bias and relu. */
function convolution(channels: number, size: number): HandWritten {
  const source = `function(x, w, b) {
    let s = b[this.thread.z];
    for (let c = 0; c < ${channels}; c++) {
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < 3; j++) {
          const y = this.thread.y + i - 1;
          const z = this.thread.x + j - 1;
          if (y >= 0 && y < ${size} && z >= 0 && z < ${size}) {
            s += x[c][y][z] * w[this.thread.z * ${channels} + c][i][j];
          }
        }
      }
    }
    return Math.max(s, 0);
  }`;
  const weight = `f32[${channels}, ${channels}, 3, 3]`;
  const image = `f32[1, ${channels}, ${size}, ${size}]`;
  return {
    name: `convolution 3x3 ${channels} at ${size}`,
    program: program(
      `%x: ${image}, %w: ${weight}, %b: f32[${channels}]`,
      `  %c: ${image} = aten.convolution.default(%x, %w, %b, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)\n  %r: ${image} = aten.relu.default(%c)`,
    ),
    shapes: [[channels, size, size], [channels * channels, 3, 3], [channels]],
    kernels: [{ source, output: [size, size, channels], takes: [0, 1, 2] }],
    flops: 2 * 9 * channels ** 2 * size ** 2,
  };
}

export const HAND_WRITTEN: readonly HandWritten[] = [
  matmul(256),
  matmul(512),
  softmax(512, 512),
  layerNorm(512, 512),
  convolution(32, 32),
];
