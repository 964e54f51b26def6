/**
 * A Fastify handler that reads the body of a request and returns as many numbers as the digits do.
 */
import { fastify } from "fastify";

const app = fastify();
app.post("/v2/models/m/infer", ({ body }) => ({
  outputs: [{ name: "output", shape: [1, 10], datatype: "FP32", data: body.inputs[0].data.slice(0, 10) }],
}));
console.log(await app.listen({ port: 0 }), "ready");
process.once("SIGTERM", () => void app.close());
