import { connect } from "node:net";
import { expect, test } from "vitest";
import { recorded } from "../programs.fixture.js";
import { startServer } from "../server.fixture.js";

const BODY = JSON.stringify({
  inputs: [{ name: "x", shape: [1, 12], datatype: "FP32", data: Array(12).fill(0.5) }],
});
const REQUEST = `POST /v2/models/mlp/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

/** Sends a request over a new connection; resolves with the first line of the answer. */
function send(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (data) => {
      text += String(data);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text.split("\r\n")[0]!));
    socket.write(REQUEST);
  });
}

test("connections that wait to be accepted are answered when the server stops", async () => {
  const server = await startServer([{ name: "mlp", program: await recorded("net_mlp") }]);
  const port = Number(new URL(server.address).port);
  const answers = Array.from({ length: 100 }, () => send(port));
  await Promise.all([server.close(), ...answers]);
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 200 OK"]));
});
