import { readFile } from "node:fs/promises";
import type { Tensor } from "@sconce/tensor";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { recorded, session, small } from "./programs.fixture.js";
import { serve } from "./serve.js";
import { binary, bytesOf, startServer } from "./server.fixture.js";

/** The model of the examples in the specification: `mymodel`, two inputs and one output. */
const example = small({
  takes: "input0: u32[2, 2], input1: b8[3]",
  calls: `%a: f32[2, 2] = aten._to_copy.default(%input0, dtype=float32)
    %b: f32[2] = aten.sum.dim_IntList(%a, [0])
    %c: f32[3] = aten._to_copy.default(%input1, dtype=float32)
    %d: f32[3, 1] = aten.unsqueeze.default(%c, 1)
    %output0: f32[3, 2] = aten.mul.Tensor(%d, %b)`,
  gives: "output0",
  isDictionary: true,
  head: "",
});
const mlp = await recorded("net_mlp");
const server = await startServer(
  [
    { name: "mymodel", program: example },
    { name: "mlp", version: "9", program: mlp },
    { name: "mlp", version: "10", program: mlp },
    { name: "bert", program: await recorded("net_bert") },
    { name: "numbers", program: await recorded("call_float_results") },
    { name: "tree", program: await recorded("tree_nested") },
    { name: "scalars", program: await recorded("shape_int_input") },
    { name: "texts", program: await recorded("tree_string_output") },
  ],
  { workers: 2 },
);

describe("the server and its models", () => {
  test("the server, its health, its models", async () => {
    expect((await server.get("/v2")).json).toEqual({
      name: "sconce",
      version: expect.any(String),
      extensions: ["binary_tensor_data"],
    });
    // The document of the protocol has this address, too.
    expect((await server.get("/v2/")).status).toBe(200);
    expect((await server.get("/v2/health/live")).json).toEqual({ live: true });
    expect((await server.get("/v2/health/ready")).json).toEqual({ live: true, ready: true });
    expect((await server.get("/v2/models")).json.models).toContain("bert");
    expect((await server.get("/v2/models/mlp/ready")).json).toEqual({ name: "mlp", ready: true });
    expect((await server.get("/v2/models/mlp/versions/9/ready")).status).toBe(200);
  });

  test("metadata has the names of the program's structure, and -1 for symbolic sizes", async () => {
    const { json } = await server.get("/v2/models/bert");
    expect(json).toMatchObject({ name: "bert", versions: ["1"], platform: "pytorch_exportedprogram" });
    expect(json.inputs[0]).toEqual({ name: "input_ids", datatype: "INT64", shape: [-1, -1] });
    expect(json.outputs).toEqual([
      { name: "last_hidden_state", datatype: "FP32", shape: [-1, -1, 16] },
      { name: "pooler_output", datatype: "FP32", shape: [-1, 16] },
    ]);
    const tree = (await server.get("/v2/models/tree")).json;
    expect(tree.inputs.map(({ name }: { name: string }) => name).slice(0, 5)).toEqual([
      "items[0]",
      "items[1][0]",
      "items[1][1]['k']",
      "table['b']",
      "table['a']",
    ]);
    expect((await server.get("/v2/models/numbers")).json.outputs[1]).toEqual({
      name: "output_1",
      datatype: "FP64",
      shape: [1],
    });
  });

  test("versions are compared by value, and the last one is the default", async () => {
    expect((await server.get("/v2/models/mlp")).json.versions).toEqual(["9", "10"]);
    const inputs = [{ name: "x", shape: [1, 12], datatype: "FP32", data: Array(12).fill(1) }];
    expect((await server.post("/v2/models/mlp/infer", { inputs })).json.model_version).toBe("10");
    expect((await server.post("/v2/models/mlp/versions/9/infer", { inputs })).json.model_version).toBe("9");
  });

  test.each([
    ["/v2/models/mpl", 404, 'has no model "mpl"; did you mean "mlp"'],
    ["/v2/models/mlp/versions/11", 404, 'no model "mlp version 11"'],
    ["/v2/models/constructor", 404, 'has no model "constructor"'],
    ["/v2/models/__proto__/ready", 404, 'has no model "__proto__"'],
    ["/v3", 404, "GET /v3 is not an address"],
  ])("GET %s is refused", async (path, status, text) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json.error]).toEqual([status, expect.stringContaining(text)]);
  });

  test("the OpenAPI document is valid, and has every model", async () => {
    const { json } = await server.get("/openapi.json");
    const result = await new Validator().validate(json);
    expect(result).toMatchObject({ valid: true });
    expect(Object.keys(json.paths)).toContain("/v2/models/mlp/versions/9/infer");
    expect(json.paths["/v2/models/bert/infer"].post.description).toContain("input_ids: INT64[any, any]");
  });

  test("metrics are counted by model, version and status", async () => {
    await server.get("/v2/models/mlp/versions/9");
    const response = await fetch(`${server.address}/metrics`);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    expect(text).toMatch(/^sconce_requests_total\{model="mlp",version="9",status="200"\} [1-9]/m);
    expect(text).toMatch(/^sconce_workers_busy 0$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });
});

describe("the examples of the specification", () => {
  const input0 = { name: "input0", shape: [2, 2], datatype: "UINT32", data: [1, 2, 3, 4] };
  const outputs = [{ name: "output0" }];

  test("a request in JSON", async () => {
    const input1 = { name: "input1", shape: [3], datatype: "BOOL", data: [true, false, true] };
    const { status, headers, json } = await server.post("/v2/models/mymodel/infer", {
      id: "42",
      inputs: [input0, input1],
      outputs,
    });
    expect([status, json.error]).toEqual([200, undefined]);
    expect(headers.get("content-type")).toBe("application/json");
    expect(json).toEqual({
      model_name: "mymodel",
      model_version: "1",
      id: "42",
      outputs: [{ name: "output0", shape: [3, 2], datatype: "FP32", data: [4, 6, 0, 0, 4, 6] }],
    });
  });

  test("the request as it is printed gives one element for a shape of three", async () => {
    const input1 = { name: "input1", shape: [3], datatype: "BOOL", data: [true] };
    const { status, json } = await server.post("/v2/models/mymodel/infer", {
      id: "42",
      inputs: [input0, input1],
      outputs,
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: "INFERENCE_REQUEST", input: "input1" });
    expect(json.error).toContain('input "input1" has 1 elements, and its shape [3] has 3');
  });

  test("a request with binary data", async () => {
    const request = {
      model_name: "mymodel",
      inputs: [
        { name: "input0", shape: [2, 2], datatype: "UINT32", parameters: { binary_data_size: 16 } },
        { name: "input1", shape: [3], datatype: "BOOL", parameters: { binary_data_size: 3 } },
      ],
      outputs: [{ name: "output0", parameters: { binary_data: true } }],
    };
    const body = binary(request, bytesOf(Uint32Array.of(1, 2, 3, 4)), Uint8Array.of(1, 0, 1));
    const { status, headers, json, bytes } = await server.post("/v2/models/mymodel/infer", ...body);
    expect([status, json.error]).toEqual([200, undefined]);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(json.outputs).toEqual([
      { name: "output0", shape: [3, 2], datatype: "FP32", parameters: { binary_data_size: 24 } },
    ]);
    expect([...new Float32Array(bytes.slice(-24).buffer)]).toEqual([4, 6, 0, 0, 4, 6]);
    expect(Number(headers.get("content-length"))).toBe(bytes.length);
  });
});

describe("values", () => {
  test("results are the bits that PyTorch recorded", async () => {
    const folder = new URL("../../testing/fixtures/programs/net_mlp/", import.meta.url);
    const { readSafetensors } = await import("@sconce/tensor");
    const tensors = async (name: string): Promise<Tensor> =>
      [...readSafetensors(await readFile(new URL(name, folder))).tensors.values()][0]!;
    const [x, y] = [await tensors("inputs.safetensors"), await tensors("outputs.safetensors")];
    const input = {
      name: "x",
      shape: [...x.shape],
      datatype: "FP32",
      parameters: { binary_data_size: 4 * x.numel },
    };
    const request = { parameters: { binary_data_output: true }, inputs: [input] };
    const { bytes } = await server.post("/v2/models/mlp/infer", ...binary(request, bytesOf(x.data)));
    const got = new Float32Array(bytes.slice(-4 * y.numel).buffer);
    const executable = await session.compile(mlp, "cpu");
    const [own] = (await executable.run([x])) as [Tensor];
    expect([...got]).toEqual(own.toArray());
    for (const [i, value] of got.entries()) expect(value).toBeCloseTo(y.toArray()[i] as number, 5);
  });

  test("numbers, texts and constants are tensors of one element", async () => {
    const x = { name: "x", shape: [2], datatype: "FP32", data: [1.5, "NaN"] };
    const { json } = await server.post("/v2/models/numbers/infer", { inputs: [x] });
    const shown = json.outputs.map(({ name, datatype, data }: Record<string, unknown>) => [
      name,
      datatype,
      data,
    ]);
    expect(shown).toEqual([
      ["output_0", "FP32", [1.5, "NaN"]],
      ["output_1", "FP64", [2]],
      ["output_2", "INT64", [2]],
      ["output_3", "BOOL", [true]],
      ["output_5", "INT64", [4]],
      ["output_6", "FP64", [-0]],
    ]);
    const texts = await server.post("/v2/models/texts/infer", {
      inputs: [{ name: "x", shape: [2], datatype: "FP32", data: [1, 2] }],
    });
    expect(texts.json.outputs[1]).toMatchObject({ name: "output_1", datatype: "BYTES", data: ["text"] });
    const scalars = await server.post("/v2/models/scalars/infer", {
      inputs: [
        {
          name: "x",
          shape: [2, 3],
          datatype: "FP32",
          data: [
            [1, 2, 3],
            [4, 5, 6],
          ],
        },
        { name: "n", shape: [1], datatype: "INT64", data: [4] },
      ],
      outputs: [{ name: "output_2" }],
    });
    expect(scalars.json.outputs).toMatchObject([{ name: "output_2", shape: [5] }]);
  });

  test("only the outputs that are asked for are returned, in this order", async () => {
    const ids = { shape: [1, 3], datatype: "INT64", data: [[1, 2, 0]] };
    const inputs = ["input_ids", "attention_mask", "token_type_ids"].map((name) => ({
      name,
      ...ids,
      ...(name !== "input_ids" && { data: [1, 1, 1].map(() => (name === "attention_mask" ? 1 : 0)) }),
    }));
    const { json } = await server.post("/v2/models/bert/infer", {
      inputs,
      outputs: [{ name: "pooler_output" }],
    });
    expect(json.outputs.map(({ name, shape }: Record<string, unknown>) => [name, shape])).toEqual([
      ["pooler_output", [1, 16]],
    ]);
    const none = await server.post("/v2/models/bert/infer", { inputs, outputs: [] });
    expect(none.json.outputs).toEqual([]);
  });
});

describe("errors name the input and the cause", () => {
  const x = { name: "x", shape: [1, 12], datatype: "FP32", data: Array(12).fill(0) };
  const cases: readonly (readonly [body: unknown, code: string, text: string, named?: object])[] = [
    [{ inputs: [] }, "INFERENCE_REQUEST", 'input "x" is missing', { input: "x" }],
    [{ inputs: [x, x] }, "INFERENCE_REQUEST", 'input "x" is given twice', { input: "x" }],
    [{ inputs: [x, { ...x, name: "y" }] }, "INFERENCE_REQUEST", 'the model has no input "y"', { where: "y" }],
    [
      { inputs: [{ ...x, datatype: "FP64" }] },
      "INFERENCE_REQUEST",
      'input "x" is FP64, and the model takes FP32',
      { input: "x" },
    ],
    [
      { inputs: [{ ...x, shape: [1, 13], data: Array(13).fill(0) }] },
      "GUARD_FAILED",
      "Guard failed: x.size()[1] == 12",
      { input: "x" },
    ],
    [
      { inputs: [{ ...x, shape: [300, 12], data: Array(3600).fill(0) }] },
      "GUARD_FAILED",
      "Guard failed: x.size()[0] <= 256",
    ],
    [{ inputs: [{ ...x, shape: [12] }] }, "INPUT_RANK", "(expected [s77, 12], got [12])"],
    [{ inputs: [x], outputs: [{ name: "nope" }] }, "INFERENCE_REQUEST", 'the model has no output "nope"'],
    [
      { inputs: [{ ...x, data: [..."0123456789AB"] }] },
      "INFERENCE_REQUEST",
      'element 0 of input "x" is "0", not a number',
      { input: "x" },
    ],
    [{ inputs: [{ ...x, data: Array(12).fill(1e300) }] }, "INFERENCE_REQUEST", "which float32 does not hold"],
    [{ inputs: { x } }, "INFERENCE_REQUEST", '"inputs" of the request is an object, not a list'],
    [
      { inputs: [{ ...x, parameters: { binary_data_size: 48 }, data: undefined }] },
      "INFERENCE_REQUEST",
      "0 bytes are left in the body",
    ],
    [{ id: 5, inputs: [x] }, "INFERENCE_REQUEST", '"id" of the request is 5, not a string'],
    [[], "INFERENCE_REQUEST", "the request is a list, not an object"],
    ["{", "INFERENCE_REQUEST", "it is not JSON"],
    ["", "INFERENCE_REQUEST", "it is not JSON"],
  ];

  const rows = cases.map(([body, code, text, named = {}]) => ({ body, code, text, named }));
  test.each(rows)("$body", async ({ body, code, text, named }) => {
    const { status, json } = await server.post("/v2/models/mlp/infer", body);
    expect([status, json.code, json.error]).toEqual([400, code, expect.stringContaining(text)]);
    expect(json).toMatchObject(named);
    expect(json.fix.length).toBeGreaterThan(5);
  });

  test("other forms of bodies", async () => {
    const media = await server.post("/v2/models/mlp/infer", "x", { "content-type": "text/plain" });
    expect(media.headers.get("content-type")).toBe("application/json");
    expect([media.status, media.json.code]).toEqual([415, "REQUEST_MEDIA"]);
    const packed = await server.post("/v2/models/mlp/infer", "x", { "content-encoding": "gzip" });
    expect([packed.status, packed.json.code]).toEqual([415, "REQUEST_MEDIA"]);
  });

  test("bodies without a content type are read, those of pages are not", async () => {
    const send = async (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
      const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
      const url = `${server.address}/v2/models/mlp/infer`;
      return (await fetch(url, { method: "POST", body: new Uint8Array(bytes), headers })).status;
    };
    expect(await send({ inputs: [x] })).toBe(200);
    const input = { ...x, data: undefined, parameters: { binary_data_size: 48 } };
    expect(await send(...binary({ inputs: [input] }, new Uint8Array(48)))).toBe(200);
    expect(await send({ inputs: [x] }, { origin: "http://evil.example" })).toBe(415);
  });

  test("values for which a run fails are the request's fault", async () => {
    const ids = { shape: [1, 2], datatype: "INT64", data: [[1, 99_999]] };
    const inputs = ["input_ids", "attention_mask", "token_type_ids"].map((name) => ({ name, ...ids }));
    const { status, json } = await server.post("/v2/models/bert/infer", { inputs });
    expect([status, json.code]).toEqual([400, "INDEX_OUT_OF_RANGE"]);
  });

  test("a page of another server cannot use the name of this machine", async () => {
    const { request } = await import("node:http");
    const { port } = new URL(server.address);
    const status = await new Promise((resolve) => {
      request({ port, host: "127.0.0.1", path: "/v2", headers: { host: "evil.example" } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(403);
  });
});

describe("what cannot be served is refused before the server listens", () => {
  const refused = async (name: string, program: string): Promise<string> =>
    serve([{ name, program: await recorded(program) }], { port: 0, session }).then(
      () => "served",
      (error) => `${error.code}: ${error.message}`,
    );

  test("programs that write to their state", async () => {
    expect(await refused("b", "pm_buffer_updates")).toMatch(/^SERVE_MODEL: .* writes to its state: /);
  });

  test("dtypes and names that the protocol does not have", async () => {
    expect(await refused("t", "text_dtypes")).toContain("whose dtype complex64 the protocol does not have");
    expect(await refused("a/b", "net_mlp")).toContain("a name that an address cannot have");
    const events: unknown[] = [];
    const twice = serve(
      [
        { name: "m", program: mlp },
        { name: "m", program: mlp },
      ],
      { port: 0, session, onEvent: (event) => events.push(event) },
    );
    await expect(twice).rejects.toMatchObject({
      code: "SERVE_MODEL",
      message: expect.stringContaining("two programs for version"),
    });
    // No program was lowered before.
    expect(events).toEqual([]);
  });

  test("a port that is taken, and options", async () => {
    const port = Number(new URL(server.address).port);
    await expect(serve([{ name: "m", program: mlp }], { port, session })).rejects.toMatchObject({
      code: "SERVE_ADDRESS",
    });
    await expect(serve([], { workers: 0 })).rejects.toMatchObject({ code: "OPTION_VALUE" });
    await expect(serve([], { wrokers: 1 } as never)).rejects.toMatchObject({ code: "UNKNOWN_OPTION" });
  });

  test("inputs that a program writes to are reported", async () => {
    const other = await startServer([{ name: "w", program: await recorded("pm_input_mutation") }]);
    expect(other.events[0]).toMatchObject({ kind: "model", written: ["x", "y"] });
  });
});
