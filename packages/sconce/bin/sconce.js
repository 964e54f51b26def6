#!/usr/bin/env node
import { run } from "@sconce/cli";

// A reader that has seen enough (`sconce print FILE | head`) is no failure.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
process.exitCode = await run(process.argv.slice(2));
