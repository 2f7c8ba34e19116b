// The only way to the server: its public REST API, with the key of this browser tab.
import { headers, keepKey, key, taken } from '../early.js';
import { observable, useLayoutEffect, useObservable, useRef, useState } from './view.js';

const RETRY_MS = 1000;
/** A server that takes longer to say that it is there does not answer. */
const PATIENCE_MS = 5000;

/** 'ok' or 'lost': whether the server answered last. */
export const connection = observable('ok');
/** Why a key is asked for, or null. */
export const keyWanted = observable(null);
/** Counts up when everything on the page should be read again. */
export const revision = observable(0);

/** A refusal of the server, in its own words. */
export class ApiError extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? `HTTP ${status}`);
    this.status = status;
    this.kind = problem?.kind ?? 'unavailable';
  }
}

export { key };
export function setKey(text) {
  keepKey(text);
  keyWanted.set(null);
  refresh();
}

/** Has everything on the page read again. */
export function refresh() { revision.set(revision.value + 1); }

function target(path, query) {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}

/**
 * Sends a request and returns the Response, whatever its status.
 * @param {string} method
 * @param {string} path
 * @param {{ query?: any, body?: any, signal?: AbortSignal, extra?: Record<string, string> }} [options]
 */
export async function send(method, path, { query, body, signal, extra } = {}) {
  try {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const to = target(path, query);
    const response = await ((method === 'GET' && taken(to)) || fetch(to, { method, headers: { ...headers(body), ...extra }, body: text, signal, cache: 'no-store' }));
    connection.set('ok');
    return response;
  } catch (error) {
    if (error.name !== 'AbortError') lose();
    throw error;
  }
}

/** Sends a request and returns the JSON of a success. */
export async function call(method, path, options) {
  const response = await send(method, path, options);
  return parsed(response.status, await response.text(), options?.quiet);
}

/** The JSON of a success; a refusal is thrown. */
function parsed(status, text, quiet = false) {
  if (status >= 200 && status < 300) return text ? JSON.parse(text) : null;
  let problem = null;
  try { problem = JSON.parse(text); } catch { /* a proxy in between answers in its own words */ }
  const error = new ApiError(status, problem);
  if (status === 401 && !quiet) keyWanted.set(error.message);
  throw error;
}
/** @type {import('../../types/client.js').Get} */
export const get = (path, query, options) => call('GET', path, { query, ...options });
/** @type {import('../../types/client.js').Post} */
export const post = (path, body, options) => call('POST', path, { body, ...options });
/** @type {import('../../types/client.js').Put} */
export const put = (path, body) => call('PUT', path, { body });
/** @type {import('../../types/client.js').Patch} */
export const patch = (path, body) => call('PATCH', path, { body });
/** @type {import('../../types/client.js').Remove} */
export const remove = (path) => call('DELETE', path);

/**
 * Sends a file and says how much of it has gone. `fetch` could not say that.
 * @type {import('../../types/client.js').Upload}
 */
export const upload = (path, query, file, { signal, onProgress } = {}) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open('POST', target(path, query));
  for (const [name, value] of Object.entries({ ...headers(undefined), 'content-type': 'application/octet-stream' })) request.setRequestHeader(name, value);
  request.upload.onprogress = (event) => { if (event.lengthComputable) onProgress?.(event.loaded / event.total); };
  request.onload = () => { try { resolve(/** @type {any} */ (parsed(request.status, request.responseText))); } catch (error) { reject(error); } };
  request.onerror = () => { lose(); reject(new Error('unreachable')); };
  request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
  signal?.addEventListener('abort', () => request.abort());
  request.send(file);
});

/**
 * Fetches a file, with the key of this tab.
 * @param {string} path
 * @param {Record<string, string | undefined>} query
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function download(path, query, { signal } = {}) {
  const response = await send('GET', path, { query, signal });
  if (!response.ok) parsed(response.status, await response.text());
  return response.blob();
}

/** The server does not answer: says so, and looks until it does. */
export function lose() {
  if (connection.value === 'lost') return;
  connection.set('lost');
  const again = async () => {
    try {
      await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
      connection.set('ok');
      refresh();
    } catch { setTimeout(again, RETRY_MS); }
  };
  setTimeout(again, RETRY_MS);
}

const part = encodeURIComponent;
/** @type {import('../../types/client.js').VaultPath} */
export const vaultPath = (vault) => `/v1/vaults/${part(vault ?? '')}`;
/** @type {import('../../types/client.js').MemoryPath} */
export const memoryPath = (route) => `${vaultPath(route.vault)}/memories/${part(route.memory ?? '')}`;

/**
 * Loads something while `deps` stay the same and again when they change; an older answer never replaces a newer one.
 * What was there stays until the new answer is in.
 * @type {import('../../types/client.js').UseLoad}
 */
export const useLoad = (load, deps) => {
  const turn = useObservable(revision);
  const [state, set] = useState({ data: null, error: null, loading: true });
  const last = useRef(null);
  // Before the page is painted, so that a request does not wait for a picture without its answer.
  useLayoutEffect(() => {
    const abort = new AbortController();
    last.current?.abort();
    last.current = abort;
    set((before) => (before.loading ? before : { ...before, loading: true }));
    load(abort.signal).then(
      (data) => { if (!abort.signal.aborted) set({ data, error: null, loading: false }); },
      (error) => { if (!abort.signal.aborted) set((before) => ({ data: connection.value === 'lost' ? before.data : null, error, loading: false })); },
    );
    return () => abort.abort();
  }, [...deps, turn]);
  return state;
};
