// Starts servers for the checks of the web interface, and a model for them to ask; stops them again.
import { spawn } from 'node:child_process';
import http from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Requests that the model remembers, as they came. */
const KEPT = 20;

/** Runs the binary until it says where it answers. */
export async function start(binary, args) {
  const child = spawn(binary, [...args, '--json'], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, EVERWHEN_SERVER: '', EVERWHEN_KEY: '' } });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  let [told, said] = ['', ''];
  child.stderr.on('data', (chunk) => { said += chunk; });
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      told += chunk;
      try { resolve(JSON.parse(told).url); } catch { /* not all of it yet */ }
    });
    ended.then((code) => reject(new Error(`${binary} ${args.join(' ')} ended with ${code}: ${said}`)));
  });
  const stop = async (signal = 'SIGTERM') => { child.kill(signal); await ended; };
  /** Stops it as a machine that sleeps does: connections stay open, and nothing answers. */
  const freeze = () => child.kill('SIGSTOP');
  const thaw = () => child.kill('SIGCONT');
  return { url, stop, freeze, thaw };
}

/** Runs a command to its end and returns what it printed. */
export async function run(binary, args, settings = {}) {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, EVERWHEN_SERVER: '', EVERWHEN_KEY: '', ...settings } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => { out += chunk; });
  child.stderr.on('data', (chunk) => { err += chunk; });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return out;
}

/** A directory that goes with the returned function. */
export function directory() {
  const path = mkdtempSync(join(tmpdir(), 'everwhen-ui-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A model that always says the same, the list that has it, and what it was asked. */
export async function model(words) {
  const asked = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => { body += chunk; });
    request.on('end', () => {
      if (request.method === 'POST') { asked.push(JSON.parse(body)); if (asked.length > KEPT) asked.shift(); }
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') { response.end(JSON.stringify({ object: 'list', data: [{ id: 'small-model', object: 'model', created: 0, owned_by: 'test' }] })); return; }
      response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 0, model: 'small-model', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: words } }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, stop: () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); }) };
}

/** The JSON of a request that must succeed. */
export async function ask(url, options = {}) {
  const { body, ...rest } = options;
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...rest.headers } };
  const response = await fetch(url, { ...rest, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** A request whose headers are exactly these, for what `fetch` would not send. */
export function raw(url, { method = 'GET', headers = {}, body } = {}) {
  const { hostname, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path: pathname + search, method, headers, setHost: !headers.host }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => { text += chunk; });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Numbers that look random and are the same each time. */
export function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}
