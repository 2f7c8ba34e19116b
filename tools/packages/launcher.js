#!/usr/bin/env node
// Runs the program that came for this platform, or the one that EVERWHEN_BINARY names.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const platform = `${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "everwhen.exe" : "everwhen";

function find() {
  if (process.env.EVERWHEN_BINARY) return process.env.EVERWHEN_BINARY;
  try {
    return createRequire(import.meta.url).resolve(`@everwhen/${platform}/bin/${program}`);
  } catch {
    console.error(
      `everwhen: the package @everwhen/${platform} is not installed. Either there is none for this platform, or optional ` +
        "dependencies were left out when installing. EVERWHEN_BINARY can name a program from elsewhere.",
    );
    process.exit(1);
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit" });
// What ends this process is passed on; a terminal sends Ctrl-C to both, and the program decides.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
child.on("error", (error) => {
  console.error(`everwhen: cannot start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
