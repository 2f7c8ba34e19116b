// Server-sent events. They are kept as the bytes that came until somebody wants to read them: what nobody reads is never text, so a
// flood of events leaves nothing for the garbage collector.
import { ApiError, lose, send } from './api.js';
import { eachLine } from './bytes.js';

/** A silent stream has a comment every 15 seconds; without one for so long, the connection is dead though nothing closed it. */
const SILENCE_MS = 40_000;
/** What a line with an event begins with. */
const DATA = [...new TextEncoder().encode('data: ')];

/** Ends the task. Without it, one would go on as long as there is anything to be read. */
const nextTask = () => new Promise((resume) => setTimeout(resume, 0));

/**
 * Reads events until the signal ends it, or until nothing at all comes any more. `EventSource` could not send the key.
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {(event: Uint8Array) => void} onEvent gets the UTF-8 of what one event says
 */
export async function events(path, signal, onEvent) {
  const response = await send('GET', path, { signal });
  if (!response.ok) throw new ApiError(response.status, null);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const take = eachLine((line) => { if (DATA.every((byte, at) => line[at] === byte)) onEvent(line.slice(DATA.length)); });
  for (;;) {
    const silence = setTimeout(() => { lose(); reader.cancel(); }, SILENCE_MS);
    const { value, done } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    take(value);
    await nextTask();
  }
}
