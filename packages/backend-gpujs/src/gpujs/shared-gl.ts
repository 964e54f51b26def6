/**
 * @file Shares one WebGL context between all programs of a page: browsers limit the number of
 * contexts.
 */
import { SOFTWARE } from "../device/mode.js";
import { declareFunctions } from "./glsl.js";
import { addIndexHelpers } from "./helpers.js";
import { SharedKernels } from "./kept-kernels.js";
import type { Gpu, GpujsLibrary } from "./library.js";

/** A context and the gpu.js that draws in it. */
export class SharedGl {
  readonly gpu: Gpu;
  readonly kernels: SharedKernels;
  /**
   * What draws, and that it is software where it is: browsers without a GPU have WebGL
   * nevertheless.
   */
  readonly renderer: string;
  readonly #gl: WebGL2RenderingContext;
  readonly #end: () => void;
  #users = 0;

  constructor({ GPU }: GpujsLibrary, gl: WebGL2RenderingContext, end: () => void) {
    this.#gl = gl;
    this.#end = end;
    this.renderer = rendererOf(gl);
    this.gpu = new GPU({ mode: "webgl2", canvas: gl.canvas, context: gl });
    this.kernels = new SharedKernels(this.gpu);
    addIndexHelpers(this.gpu);
    declareFunctions(this.gpu);
  }

  /** Whether the browser took the context away: what is read from it then is zeros. */
  get isLost(): boolean {
    return this.#gl.isContextLost();
  }
  /**
   * Returns whether memory ran out since it was last asked. Drivers report other errors even where
   * nothing is wrong.
   */
  takeRanOut(): boolean {
    const gl = this.#gl;
    // One flag for each kind of error is kept, and taken one at a time.
    for (let kind = 0; kind < 8; kind++) {
      const error = gl.getError();
      if (error === gl.NO_ERROR) return false;
      if (error === gl.OUT_OF_MEMORY) return true;
    }
    return false;
  }

  /** Waits until all that was asked for is drawn. */
  finish(): void {
    this.#gl.finish();
  }

  use(): this {
    this.#users++;
    return this;
  }
  /** The last who used it closes it. */
  release(): void {
    if (--this.#users > 0) return;
    this.#end();
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** By the gpu.js that draws. */
const opened = new WeakMap<GpujsLibrary["GPU"], SharedGl>();

/**
 * Returns the context of the page, a fresh one where there is none or it was lost; undefined where
 * the browser gives none.
 */
export function sharedGl(library: GpujsLibrary): SharedGl | undefined {
  const { GPU } = library;
  const known = opened.get(GPU);
  if (known !== undefined && !known.isLost) return known.use();
  const gl = newContext();
  if (gl === null) return undefined;
  const made = new SharedGl(library, gl, () => {
    if (opened.get(GPU) === made) opened.delete(GPU);
  });
  opened.set(GPU, made);
  return made.use();
}

function newContext(): WebGL2RenderingContext | null {
  const canvas =
    typeof OffscreenCanvas === "function" ? new OffscreenCanvas(1, 1) : document.createElement("canvas");
  return canvas.getContext("webgl2", {
    alpha: false,
    depth: false,
    antialias: false,
  }) as WebGL2RenderingContext | null;
}
function rendererOf(gl: WebGL2RenderingContext): string {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  return SOFTWARE.test(name) ? `${name} (software)` : name;
}
