/** @file The OpenAPI document of a server. */
import { VERSION } from "@sconce/errors";
import type { Catalog } from "../model/catalog.js";
import type { Model, TensorMetadata } from "../model/model.js";

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: Schema): Schema => ({ type: "array", items });
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema => ({
  type: "object",
  properties,
  required,
});
const json = (schema: Schema): Schema => ({ "application/json": { schema } });
const response = (description: string, schema: Schema): Schema => ({ description, content: json(schema) });

const PARAMETERS: Schema = {
  type: "object",
  additionalProperties: { oneOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] },
};

/** The objects of the protocol. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: object({ error: text, code: text, input: text, where: text, fix: text }, ["error", "code"]),
  Server: object({ name: text, version: text, extensions: listOf(text) }, ["name", "version", "extensions"]),
  Live: object({ live: { type: "boolean" } }, ["live"]),
  Ready: object({ live: { type: "boolean" }, ready: { type: "boolean" } }, ["live", "ready"]),
  ModelReady: object({ name: text, ready: { type: "boolean" } }, ["name", "ready"]),
  Models: object({ models: listOf(text) }, ["models"]),
  Tensor: object({ name: text, datatype: text, shape: listOf({ type: "integer" }) }, [
    "name",
    "datatype",
    "shape",
  ]),
  Model: object(
    {
      name: text,
      versions: listOf(text),
      platform: text,
      inputs: listOf(reference("Tensor")),
      outputs: listOf(reference("Tensor")),
    },
    ["name", "platform"],
  ),
  Data: { type: "array", items: {}, description: "elements in row-major order, flat or nested" },
  Input: object(
    {
      name: text,
      shape: listOf({ type: "integer", minimum: 0 }),
      datatype: text,
      parameters: PARAMETERS,
      data: reference("Data"),
    },
    ["name", "shape", "datatype"],
  ),
  OutputName: object({ name: text, parameters: PARAMETERS }, ["name"]),
  Output: object(
    {
      name: text,
      shape: listOf({ type: "integer" }),
      datatype: text,
      parameters: PARAMETERS,
      data: reference("Data"),
    },
    ["name", "shape", "datatype"],
  ),
  Request: object(
    {
      id: text,
      parameters: PARAMETERS,
      inputs: listOf(reference("Input")),
      outputs: listOf(reference("OutputName")),
    },
    ["inputs"],
  ),
  Response: object(
    {
      model_name: text,
      model_version: text,
      id: text,
      parameters: PARAMETERS,
      outputs: listOf(reference("Output")),
    },
    ["model_name", "outputs"],
  ),
};

const error = (description: string): Schema => response(description, reference("Error"));

const get = (operationId: string, description: string, schema: Schema, more: Schema = {}): Schema => ({
  get: { operationId, responses: { "200": response(description, schema), ...more } },
});

const NOT_FOUND: Schema = { "404": error("the server has no such model or version") };
const NOT_READY: Schema = { "503": error("the server loads its programs, or is stopping") };

const shapeText = ({ name, datatype, shape }: TensorMetadata): string =>
  `${name}: ${datatype}[${shape.map((size) => (size < 0 ? "any" : size)).join(", ")}]`;

function inference(model: Model, id: string): Schema {
  const takes = model.inputs.map(shapeText).join("; ");
  const gives = model.outputs.map(shapeText).join("; ");
  const binary = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  return {
    post: {
      operationId: id,
      description: `Takes ${takes || "no inputs"}. Returns ${gives || "nothing"}.`,
      requestBody: { required: true, content: { ...json(reference("Request")), ...binary } },
      responses: {
        "200": { description: "the outputs", content: { ...json(reference("Response")), ...binary } },
        "400": error("the request does not follow the protocol, or does not fit the program"),
        ...NOT_FOUND,
        "408": error("the request came too slowly"),
        "413": error("the body is too large"),
        "415": error("the body has another form than JSON or binary data"),
        "429": error("the server is at its limit: Retry-After says when to ask again"),
        ...NOT_READY,
        "504": error("the results took too long"),
      },
    },
  };
}

/** Returns the OpenAPI document of a server with these models. */
export function openApi(catalog: Catalog): Schema {
  const paths: Record<string, Schema> = {
    "/v2": get("server", "the server", reference("Server")),
    "/v2/health/live": get("live", "the server answers", reference("Live")),
    "/v2/health/ready": get("ready", "all models are ready", reference("Ready"), {
      "503": response("not ready", reference("Ready")),
    }),
    "/v2/models": get("models", "the names of the models", reference("Models")),
    "/metrics": {
      get: {
        operationId: "metrics",
        responses: {
          "200": { description: "metrics of Prometheus", content: { "text/plain": { schema: text } } },
        },
      },
    },
  };
  for (const name of new Set(catalog.all.map((model) => model.name)))
    addModel(paths, `/v2/models/${name}`, catalog.find(name), name);
  for (const model of catalog.all)
    addModel(
      paths,
      `/v2/models/${model.name}/versions/${model.version}`,
      model,
      `${model.name}-${model.version}`,
    );
  return {
    openapi: "3.0.3",
    info: {
      title: "Sconce",
      version: VERSION,
      description: "The Open Inference Protocol (version 2) with binary tensor data.",
    },
    paths,
    components: { schemas: SCHEMAS },
  };
}

function addModel(paths: Record<string, Schema>, path: string, model: Model, id: string): void {
  paths[path] = get(`metadata:${id}`, "inputs and outputs", reference("Model"), NOT_FOUND);
  paths[`${path}/ready`] = get(`ready:${id}`, "the model is ready", reference("ModelReady"), {
    ...NOT_FOUND,
    ...NOT_READY,
  });
  paths[`${path}/infer`] = inference(model, `infer:${id}`);
}
