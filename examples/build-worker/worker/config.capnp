using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "digits", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "digits")],
);

const worker :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "digits.mjs", esModule = embed "digits.mjs"),
    (name = "digits.wasm", wasm = embed "digits.wasm"),
    (name = "digits.safetensors", data = embed "digits.safetensors"),
  ],
);
