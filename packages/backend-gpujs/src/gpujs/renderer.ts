/** @file What WebGL draws with in a page. */
import { SOFTWARE } from "../webgpu/open.js";

/** Its name, and that it is software where it is: browsers without a GPU have WebGL nevertheless. */
export function rendererOfPage(): string {
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
  if (gl === null) return "an unknown renderer";
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  // Pages have only so many contexts.
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(name) ? `${name} (software)` : name;
}
