/**
 * @file The live example of the first page: the element `sconce-digits`. It draws the digit
 * classifier, runs it in WebAssembly, and shows the digits that it finds.
 */
import {
  castTensor,
  compareTensors,
  createSconce,
  type ExportedProgram,
  readSafetensors,
  type Sconce,
  type Tensor,
} from "sconce";
import { hierarchyOf, sceneOf, sceneSvg } from "sconce/drawing";
import { autoBackend } from "sconce/wasm";

/** The programs that the reader chooses from: a name and the passes that make it. */
const VERSIONS = [
  { name: "as exported", passes: "" },
  { name: "lowered", passes: "decompose" },
  { name: "optimized", passes: "decompose,fold-constants{weights=true},cse,dce" },
] as const;
/** Images that are shown at once. */
const SHOWN = 12;
/**
 * Closeness of logits to PyTorch's: sums of a few hundred products in float32, in another order.
 */
const CLOSE = { rtol: 1e-4, atol: 1e-4 };

interface Digits {
  readonly sconce: Sconce;
  readonly program: ExportedProgram;
  /** float32 [360, 1, 8, 8], values 0 to 16. */
  readonly images: Tensor;
  /** uint8 [360]. */
  readonly labels: Tensor;
  /** float32 [360, 10], as PyTorch computed them. */
  readonly logits: Tensor;
}

async function bytesOf(file: string): Promise<Uint8Array> {
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function loadDigits(): Promise<Digits> {
  const sconce = createSconce({ backends: [autoBackend()] });
  const [program, weights] = await Promise.all([
    bytesOf("digits.pt2").then((bytes) => sconce.load(bytes)),
    bytesOf("digits-images.safetensors"),
  ]);
  const { tensors } = readSafetensors(weights);
  return {
    sconce,
    program,
    images: castTensor(tensors.get("images")!, "float32"),
    labels: tensors.get("labels")!,
    logits: tensors.get("logits")!,
  };
}

/** What a run gave. */
interface Outcome {
  readonly predictions: readonly number[];
  readonly correct: number;
  readonly device: string;
  readonly kernels: number;
  readonly milliseconds: number;
  /** In what the logits differ from PyTorch's; undefined when they are close. */
  readonly difference: string | undefined;
}

async function classify(
  { sconce, images, labels, logits }: Digits,
  program: ExportedProgram,
): Promise<Outcome> {
  using executable = await sconce.compile(program, "auto");
  await executable.run([images]); // the first run also compiles
  const start = performance.now();
  const [found] = (await executable.run([images])) as [Tensor];
  const milliseconds = performance.now() - start;
  const predictions = argmaxRows(found);
  const wanted = labels.toFloat64Array();
  const placement = executable.placement?.();
  return {
    predictions,
    correct: predictions.filter((digit, i) => digit === wanted[i]).length,
    device: placement?.device ?? "interpreter",
    kernels: placement?.kernels ?? 0,
    milliseconds,
    difference: compareTensors(found, logits, CLOSE),
  };
}

function argmaxRows(logits: Tensor): number[] {
  const [rows = 0, classes = 0] = logits.shape;
  const scores = logits.toFloat64Array();
  return Array.from({ length: rows }, (_, row) => {
    const own = scores.subarray(row * classes, (row + 1) * classes);
    return own.indexOf(Math.max(...own));
  });
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** One image of 8x8 pixels. */
function picture(pixels: Float64Array, index: number): HTMLCanvasElement {
  const canvas = element("canvas", { width: "8", height: "8", "aria-hidden": "true" });
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(8, 8);
  for (let i = 0; i < 64; i++) {
    const shade = Math.round((1 - pixels[index * 64 + i]! / 16) * 255);
    image.data.set([shade, shade, shade, 255], i * 4);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Returns the drawing of a program; the page gives its colors. */
function drawing(program: ExportedProgram, name: string): string {
  const hierarchy = hierarchyOf(program);
  const title = `The digit classifier, ${name}: ${hierarchy.items[0]!.calls} calls`;
  const scene = sceneOf(hierarchy, { open: new Set() });
  const open = sceneOf(hierarchy, { open: "all" });
  const svg = sceneSvg(hierarchy, hierarchy.items[0]!.calls > 40 ? scene : open, { title, theme: "light" });
  return svg.replace(/<style>[\s\S]*?<\/style>/, "");
}

class LiveDigits extends HTMLElement {
  readonly #graph = element("div", { class: "graph", tabindex: "0", role: "region", "aria-label": "Graph" });
  readonly #images = element("ol", { class: "images" });
  readonly #report = element("p", { class: "report", role: "status" });
  readonly #run = element("button", { type: "button", class: "run" }, "Run in WebAssembly");
  readonly #choice = element("select", { id: "sconce-version" });
  #digits: Digits | undefined;
  #program: ExportedProgram | undefined;

  connectedCallback(): void {
    if (this.#run.isConnected) return;
    for (const { name } of VERSIONS) this.#choice.append(element("option", {}, name));
    this.#choice.addEventListener("change", () => this.#attempt(() => this.#show()));
    this.#run.addEventListener("click", () => this.#attempt(() => this.#classify()));
    const label = element("label", { for: "sconce-version" }, "Program");
    const controls = element("div", { class: "controls" }, label, this.#choice, this.#run);
    this.replaceChildren(controls, this.#report, this.#images, this.#graph);
    this.#attempt(async () => {
      this.#digits = await loadDigits();
      await this.#show();
      await this.#classify();
    });
  }

  /** Runs a step; the page shows its error. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    this.#run.disabled = true;
    this.dataset["state"] = "busy";
    try {
      await step();
      this.dataset["state"] = "done";
    } catch (error) {
      this.dataset["state"] = "failed";
      this.#report.textContent = error instanceof Error ? error.message : String(error);
    }
    this.#run.disabled = false;
  }

  async #show(): Promise<void> {
    const { sconce, program } = this.#digits!;
    const { name, passes } = VERSIONS[this.#choice.selectedIndex]!;
    await sconce.prepare();
    this.#program = passes === "" ? program : sconce.transform(program, passes);
    this.#graph.innerHTML = drawing(this.#program, name);
    this.#report.textContent = `The program ${name}, with ${callsOf(this.#program)} calls. It has not run yet.`;
    this.#list(undefined);
  }

  async #classify(): Promise<void> {
    const outcome = await classify(this.#digits!, this.#program!);
    const { correct, predictions, device, kernels, milliseconds, difference } = outcome;
    this.#report.textContent =
      `${correct} of ${predictions.length} digits are right. Device: ${device}, ${kernels} kernels, ` +
      `${milliseconds.toFixed(2)} ms for all images. Logits: ${difference ?? "equal to PyTorch's within 1e-4"}.`;
    this.#list(predictions);
  }

  #list(predictions: readonly number[] | undefined): void {
    const pixels = this.#digits!.images.toFloat64Array();
    const items = Array.from({ length: SHOWN }, (_, i) =>
      element("li", {}, picture(pixels, i), element("span", {}, String(predictions?.[i] ?? "?"))),
    );
    this.#images.replaceChildren(...items);
  }
}

/** Returns how many operators a program calls in one run. */
const callsOf = (program: ExportedProgram): number =>
  [...program.opHistogram().values()].reduce((sum, count) => sum + count, 0);

customElements.define("sconce-digits", LiveDigits);
