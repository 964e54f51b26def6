import type { Placement } from "sconce";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Browser,
  CHROMIUM,
  type Graphics,
  hasChromium,
  openBrowser,
  type Served,
  servePage,
} from "./chromium.fixture.js";
import type { DigitsReport } from "./digits.js";
import type { Reports } from "./reports.js";

if (!hasChromium)
  console.warn(`tests of the page are skipped: there is no ${CHROMIUM} (apt-get install chromium)`);

let served: Served;
beforeAll(async () => {
  if (hasChromium) served = await servePage();
}, 60_000);
afterAll(() => served?.close());

/** What has to hold of the digits wherever they run. */
function expectDigits({ predictions, expected, correct, fromInterpreter, fromTorch }: DigitsReport): void {
  expect(predictions).toHaveLength(360);
  expect(predictions).toEqual(expected);
  expect({ correct, fromInterpreter, fromTorch }).toEqual({
    correct: 357,
    fromInterpreter: null,
    fromTorch: null,
  });
}
/** Visits the page, which has to run the digits on a device, and random programs right. */
async function visitOn(device: RegExp, browser: Browser, query: string) {
  const { result, errors, shown } = await browser.visit(`${served.address}${query}`);
  if ("error" in result) throw new Error(result.error);
  const { digits, random = [] } = result;
  const placement = digits.placement!;
  expect(placement.device).toMatch(device);
  expectDigits(digits);
  expect(random.filter(({ difference }) => difference !== null)).toEqual([]);
  return { placement, random, errors, shown };
}

/** Every call has its kernel on the device. */
function expectWholly({ nodes, kernels, fallbacks }: Placement): void {
  expect(nodes.filter(({ place }) => place === "host")).toEqual([]);
  expect(kernels).toBeGreaterThan(3);
  expect(fallbacks).toEqual([]);
}

const SOFTWARE_GL = /^webgl2: gpu\.js webgl2 on .*SwiftShader.*\(software\)$/;
const SOFTWARE_GPU = /^webgpu: .*swiftshader.*\(software\)$/i;
/** The main thread of a page may not wait for others. */
const WASM = /^WebAssembly with (relaxed )?SIMD: 1 thread$/;
const WASM_WITH_THREADS = /^WebAssembly with (relaxed )?SIMD: 2 threads$/;
/** The query, what it has to run on, and random programs besides. */
const CASES: Readonly<Record<Graphics, readonly (readonly [string, RegExp])[]>> = {
  webgl: [
    ["?mode=webgl2&programs=10", SOFTWARE_GL],
    ["?mode=webasm&programs=3", /^webasm: gpu\.js webasm$/],
    ["?mode=cpu", /^cpu: gpu\.js cpu$/],
    ["?gpu", /^webasm: /],
    ["?programs=30", WASM],
    ["?worker", WASM_WITH_THREADS],
  ],
  webgpu: [
    ["?mode=webgpu&programs=30", SOFTWARE_GPU],
    ["?gpu", /^webasm: /],
    ["", WASM],
    ["?software", SOFTWARE_GPU],
  ],
};

/** Networks of all kinds, and one with a run of more steps than a kernel reads buffers. */
const NETWORKS = [
  ...["net_bert", "net_gpt", "net_vit", "net_llama_decode", "net_lstm", "net_gru", "net_mobilenet"],
  ...["net_resnet_train", "net_unet", "net_diffusion", "net_convnext", "net_recommender"],
];
describe.skipIf(!hasChromium)("WebGL in software", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser("webgl");
  }, 60_000);
  afterAll(() => browser?.close());
  async function visit(query: string): Promise<Reports> {
    const { result, errors } = await browser.visit(`${served.address}?mode=webgl2&${query}`);
    if ("error" in result) throw new Error(result.error);
    expect(errors).toEqual([]);
    return result;
  }

  test("keeps NaN, infinities and signs of zeros as the interpreter does", async () => {
    const { edges } = await visit("edges=6");
    expect(edges!.differences).toEqual([]);
    expect(edges!.ran).toBeGreaterThan(55);
  });

  test("runs networks that PyTorch exported", async () => {
    // A shader of each kernel takes this GPU long to compile.
    const some = ["net_bert", "net_lstm", "net_mobilenet", "net_unet", "net_recommender"];
    const { fixtures } = await visit(`fixtures=${some.join()}`);
    expect(fixtures!.filter(({ difference }) => difference !== null)).toEqual([]);
    expect(fixtures!.filter(({ kernels }) => kernels < 3)).toEqual([]);
  });

  test("runs networks that PyTorch exported in WebAssembly", async () => {
    const { result, errors } = await browser.visit(`${served.address}?fixtures=${NETWORKS.join()}`);
    if ("error" in result) throw new Error(result.error);
    expect(errors).toEqual([]);
    expect(result.fixtures!.filter(({ difference }) => difference !== null)).toEqual([]);
    expect(result.fixtures!.filter(({ kernels }) => kernels < 3)).toEqual([]);
  });

  test("one context serves 20 executables, and its loss is an error", async () => {
    const { contexts } = await visit("contexts=20");
    expect(contexts).toEqual({
      contexts: 1,
      wrong: 0,
      afterLoss: "DEVICE_LOST",
      compiledAgain: "the same",
    });
  });
});

describe.skipIf(!hasChromium).each(["webgl", "webgpu"] as const)(
  "in Chromium with %s in software",
  (graphics) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser(graphics);
    }, 60_000);
    afterAll(() => browser?.close());

    test.each(CASES[graphics])('the page of "%s" agrees with the interpreter', async (query, device) => {
      const { placement, random, errors, shown } = await visitOn(device, browser, query);
      expectWholly(placement);
      if (query.includes("mode=webg"))
        expect(random.reduce((sum, { kernels }) => sum + kernels, 0)).toBeGreaterThan(20);
      expect(shown).toContain("357 of 360");
      expect(errors).toEqual([]);
    });

    test("a mode that is not there is refused with a reason", async () => {
      const missing = graphics === "webgl" ? "webgpu" : "headlessgl";
      const { result, errors } = await browser.visit(`${served.address}?mode=${missing}`);
      expect("error" in result && result.error).toMatch(
        new RegExp(`mode "${missing}" .* does not run here: `),
      );
      expect(errors).toEqual([]);
    });
  },
);

/**
 * Policies, what else the page is asked for, and what it has to run on. Shaders need no directive,
 * WebAssembly and functions of texts do; where nothing is left the interpreter runs everything.
 */
const POLICIES: Readonly<Record<Graphics, readonly (readonly [string, RegExp])[]>> = {
  webgl: [
    ["policy=strict", /^none$/],
    ["policy=strict&gpu", /^none$/],
    ["policy=strict&software", SOFTWARE_GL],
    ["policy=strict&mode=webgl2&programs=2", SOFTWARE_GL],
    ["policy=wasm", WASM],
    ["policy=wasm&worker", WASM_WITH_THREADS],
    ["policy=wasm&gpu", /^webasm: /],
    ["policy=eval&gpu", /^webasm: /],
    ["policy=eval&mode=cpu", /^cpu: /],
  ],
  webgpu: [
    ["policy=strict&software", SOFTWARE_GPU],
    ["policy=strict&mode=webgpu&programs=2", SOFTWARE_GPU],
  ],
};
/** What Chromium writes when a policy stops something; the page's own style and icon are two. */
const VIOLATION = /Content Security Policy|content security policy|'default-src' is used/;

describe.skipIf(!hasChromium).each(["webgl", "webgpu"] as const)(
  "under a content security policy, with %s in software",
  (graphics) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser(graphics);
    }, 60_000);
    afterAll(() => browser?.close());

    test.each(POLICIES[graphics])('the page of "?%s" agrees with the interpreter', async (query, device) => {
      const { placement, errors } = await visitOn(device, browser, `?${query}`);
      expect(errors.filter((text) => !VIOLATION.test(text))).toEqual([]);
      if (placement.device !== "none") return expectWholly(placement);
      const reasons = new Set(placement.nodes.map(({ place, reason }) => `${place}: ${reason}`));
      expect([...reasons]).toEqual([
        expect.stringMatching(
          query.includes("gpu")
            ? /^host: .*webasm: the content security policy .* 'wasm-unsafe-eval'.*cpu: the content security policy .* 'unsafe-eval'/
            : /^host: WebAssembly does not run here: the content security policy of the page forbids/,
        ),
      ]);
    });

    test.each([
      ["webasm", "'wasm-unsafe-eval'"],
      ["cpu", "'unsafe-eval'"],
    ])("the mode %s is refused with the directive that it takes", async (mode, directive) => {
      const { result } = await browser.visit(`${served.address}?policy=strict&mode=${mode}`);
      const text = "error" in result ? result.error : "";
      expect(text).toContain(`mode "${mode}" of gpu.js does not run here: the content security policy`);
      expect(text).toContain(directive);
    });
  },
);
