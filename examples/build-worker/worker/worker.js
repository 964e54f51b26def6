/** A worker at the edge: answers a POST of an image with the scores of its digits. */
import { load, ModelError } from "./digits.mjs";
import weights from "./digits.safetensors";
import kernels from "./digits.wasm";

/** The engine compiled the kernels before: a worker may not compile bytes. */
const loaded = load({ wasm: kernels, weights });

export default {
  async fetch(request) {
    if (request.method !== "POST") return new Response("POST an image: 64 bytes, 0 to 16\n", { status: 405 });
    const pixels = new Uint8Array(await request.arrayBuffer());
    const model = await loaded;
    try {
      const scores = await model.run({ image: new Float32Array(pixels) });
      return Response.json({ scores: [...scores.data] });
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return Response.json({ error: `${error.code}: ${error.message}` }, { status: 400 });
    }
  },
};
