// The story in a real browser: a page of this machine, at another port than the server's. Usage: browser.mjs APP

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const app = process.argv[2];
const options = JSON.stringify({ url: process.env.EVERWHEN_SERVER, key: process.env.EVERWHEN_KEY });
const page = `<!doctype html><title>story</title><script type="module">
const tell = (text) => fetch("/told", { method: "POST", body: text });
try {
  const everwhen = await import("/node_modules/everwhen/dist/index.js");
  const { story } = await import("/story.js");
  await story(everwhen, new everwhen.Everwhen(${options}), "browser-" + crypto.randomUUID());
  await tell("ok");
} catch (error) {
  await tell(String(error));
}
</script>`;

let told;
const answered = new Promise((done) => (told = done));
const server = createServer(async (request, response) => {
  if (request.url === "/told") {
    const chunks = await request.toArray();
    told(Buffer.concat(chunks).toString());
    response.end();
  } else if (request.url === "/") {
    response.setHeader("content-type", "text/html").end(page);
  } else if (/^[\w./-]+\.js$/.test(request.url) && !request.url.includes("..")) {
    response.setHeader("content-type", "text/javascript").end(readFileSync(join(app, request.url)));
  } else {
    response.writeHead(404).end();
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

const profile = mkdtempSync(join(tmpdir(), "everwhen-browser-"));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", `--user-data-dir=${profile}`];
const browser = spawn("chromium", [...flags, `http://localhost:${server.address().port}/`], { stdio: "ignore" });
const ended = once(browser, "exit");
const result = await Promise.race([answered, ended.then(() => "the browser ended early")]);
browser.kill();
await ended;
server.closeAllConnections();
server.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
console.log(`browser: ${result}`);
process.exitCode = result === "ok" ? 0 : 1;
