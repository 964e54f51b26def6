import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../lower/core/context.js";
import { textOf } from "../programs.fixture.js";

const PRODUCT = `%a: f32[4, 16] = aten.mm.default(%x, %w)`;
const inputs = "%x: f32[4, 8], %w: f32[8, 16]";

test("what is read several times and comes together again is computed once, in one nest", () => {
  const text = textOf(`graph(${inputs}) {
    ${PRODUCT}
    %b: f32[4, 16] = aten.sigmoid.default(%a)
    %c: f32[4, 16] = aten.mul.Tensor(%a, %b)
    return (%c,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[4, 8]  # x
    input b1: f32[8, 16]  # w

    nest 0 -> b2: f32[4, 16]  # a, b, c
      for i0 < 4, i1 < 16
        ((t0 = sum[r0 < 8](b0[i0*8 + r0] * b1[i1 + r0*16])) * sigmoid(t0))

    output b2: f32[4, 16]
    "
  `);
});

test("through any number of steps, some of them expensive", () => {
  const text = textOf(`graph(${inputs}) {
    ${PRODUCT}
    %b: f32[4, 16] = aten.exp.default(%a)
    %c: f32[4, 16] = aten.add.Tensor(%b, %a)
    %d: f32[4, 16] = aten.mul.Tensor(%c, %b)
    %e: f32[4, 16] = aten.relu.default(%d)
    return (%e,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[4, 8]  # x
    input b1: f32[8, 16]  # w

    nest 0 -> b2: f32[4, 16]  # a, b, c, d, e
      for i0 < 4, i1 < 16
        max(((t1 = exp(t0 = sum[r0 < 8](b0[i0*8 + r0] * b1[i1 + r0*16]))) + t0) * t1, 0)

    output b2: f32[4, 16]
    "
  `);
});

test("not where a result or a sum reads it, too", () => {
  const nests = (body: string): number =>
    textOf(`graph(${inputs}) {\n${PRODUCT}\n${body}\n}`).match(/^nest/gm)!.length;
  const silu = "%b: f32[4, 16] = aten.sigmoid.default(%a)\n%c: f32[4, 16] = aten.mul.Tensor(%a, %b)\n";
  expect(nests(`${silu}return (%c,)`)).toBe(1);
  expect(nests(`${silu}return (%c, %a)`)).toBe(2);
  expect(nests(`${silu}%d: f32[] = aten.sum.default(%a)\nreturn (%c, %d)`)).toBe(3);
});

test("two products that meet are two nests, however often each is read", () => {
  const text = textOf(`graph(${inputs}, %v: f32[8, 16]) {
    ${PRODUCT}
    %b: f32[4, 16] = aten.mm.default(%x, %v)
    %c: f32[4, 16] = aten.sigmoid.default(%a)
    %d: f32[4, 16] = aten.mul.Tensor(%c, %b)
    %e: f32[4, 16] = aten.add.Tensor(%d, %a)
    %f: f32[4, 16] = aten.sub.Tensor(%e, %b)
    return (%f,)
  }`);
  expect(text.match(/^nest/gm)).toHaveLength(2);
  expect(text.match(/sum\[/g)).toHaveLength(2);
});

test("what does not fit is given memory where it was read first", () => {
  const steps = Array.from({ length: 12 }, (_, i) => {
    const before = i === 0 ? "%a" : `%m${i - 1}`;
    return `%s${i}: f32[4, 16] = aten.sigmoid.default(${before})\n%m${i}: f32[4, 16] = aten.mul.Tensor(${before}, %s${i})`;
  });
  const graph = `graph(${inputs}) {\n${PRODUCT}\n${steps.join("\n")}\nreturn (%m11,)\n}`;
  const one = textOf(graph);
  expect(one.match(/^nest/gm)).toHaveLength(1);
  expect(one.match(/sum\[/g)).toHaveLength(1);
  expect(one.length).toBeLessThan(2000);
  const several = textOf(graph, { limits: { ...DEFAULT_LIMITS, operations: 12 } });
  expect(several.match(/^nest/gm)!.length).toBeGreaterThan(2);
  expect(several.match(/sum\[/g)).toHaveLength(1);
  expect(several.match(/sigmoid/g)).toHaveLength(12);
});
