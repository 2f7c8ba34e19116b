// Begins the requests of a first view while the rest of the page is on its way: the vault, and the newest entries of a memory.
// lib/api.js takes the answers.
const KEY = 'everwhen.key';
/** An answer that nobody has taken by then is not used. */
const FRESH_MS = 5000;
/** Names that are the same in an address of the page and in one of the API. */
const PLAIN = /^[\w.-]+$/;
const memory = { key: null };

export function key() {
  try { return sessionStorage.getItem(KEY); } catch { return memory.key; }
}
export function keepKey(text) {
  // What was asked with another key is asked again.
  begun.clear();
  try { text ? sessionStorage.setItem(KEY, text) : sessionStorage.removeItem(KEY); } catch { memory.key = text; }
}

export function headers(body) {
  const all = { accept: 'application/json' };
  if (key()) all.authorization = `Bearer ${key()}`;
  if (body !== undefined) all['content-type'] = 'application/json';
  return all;
}

const begun = new Map();
function begin(path) {
  // To its end, so that who takes it later does not wait once more.
  const whole = async (response) => {
    const text = await response.text();
    return { ok: response.ok, status: response.status, text: () => text };
  };
  const answer = fetch(path, { headers: headers(), cache: 'no-store' }).then(whole);
  // Who takes it is told; where nobody does, it does not matter.
  answer.catch(() => {});
  begun.set(path, answer);
}

/** The answer to a request that was begun here, once. */
export function taken(path) {
  const answer = begun.get(path);
  begun.delete(path);
  return answer;
}

const [vault, name, ...view] = location.pathname.slice('/ui/'.length).split('/').filter(Boolean);
// With a key in the fragment, the key comes first.
if (PLAIN.test(vault ?? '') && vault !== '-' && !location.hash.startsWith('#key=')) {
  begin(`/v1/vaults/${vault}`);
  if (PLAIN.test(name ?? '') && !view.length && !location.search) begin(`/v1/vaults/${vault}/memories/${name}/entries?order=desc&limit=100`);
  setTimeout(() => begun.clear(), FRESH_MS);
}
/** Done when everything that was begun here is here, or has failed. */
export const answered = Promise.allSettled(begun.values());
