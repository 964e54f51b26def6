/** @file Devices of backends, in words. */

/** Ways of gpu.js to run kernels, in words. */
const MODES: Readonly<Record<string, string>> = {
  webgpu: "WebGPU",
  webgl2: "WebGL 2",
  headlessgl: "OpenGL without a window",
  webasm: "gpu.js kernels in WebAssembly",
  cpu: "gpu.js kernels in plain JavaScript",
};

/**
 * Returns a device in words: the backend gpujs writes its mode, a colon and the name of the device.
 */
export function deviceText(device: string): string {
  const [, mode = "", name = ""] = /^(\w+): (?:gpu\.js \w+(?: on )?)?(.*)$/s.exec(device) ?? [];
  const words = MODES[mode];
  if (words === undefined) return device;
  return name === "" ? words : `${words} on ${name}`;
}
