/** @file The script of a worker: WebAssembly with two threads, where the page is isolated. */
import { createSconce, serveSession } from "sconce";
import { autoBackend } from "sconce/wasm";

serveSession(createSconce({ backends: [autoBackend({ threads: 2 })] }));
