// What passes through the proxy: what the app sent, what the model saw beside it, what was remembered, and what came back.
import { get, useLoad } from '../lib/api.js';
import { events } from '../lib/stream.js';
import { html, useEffect, useMemo, useRef, useState } from '../lib/view.js';
import { Link, setParams } from '../lib/router.js';
import { Empty, Said, Title } from '../lib/parts.js';
import { clock, told } from '../lib/time.js';
import { language, t } from '../lib/text.js';

/** More would cost each frame too much while many arrive. */
const KEPT = 50;
/** So many events are taken in at once, and so often. */
const [AT_ONCE, EVERY_MS] = [4, 50];
const RETRY_MS = 2000;
/** Characters that the server counts as a token. */
const PER_TOKEN = 4;
const decoder = new TextDecoder();

export default function Live({ route }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [seen, setSeen] = useState([]);
  const [paused, setPaused] = useState(false);
  const filter = route.params.show ?? '';
  const setFilter = (text) => setParams({ show: text || undefined });
  const waiting = useRef([]);
  const before = useLoad((signal) => get('/proxy/traces', { limit: KEPT }, { signal, quiet: true }), []);

  useEffect(() => {
    const abort = new AbortController();
    // Of a flood only the last are shown. Nothing takes them while the page is hidden.
    const keep = (event) => { if (waiting.current.push(event) > 2 * KEPT) waiting.current.shift(); };
    const listen = async () => {
      while (!abort.signal.aborted) {
        try { await events('/proxy/tail', abort.signal, keep); } catch { /* told by the banner */ }
        await new Promise((resume) => setTimeout(resume, RETRY_MS));
      }
    };
    listen();
    return () => abort.abort();
  }, []);
  useEffect(() => {
    if (paused) return undefined;
    // Events are read and taken in a few at a time, so that a flood of them does not hold up the page.
    let [timer, frame] = [0, 0];
    const take = () => {
      if (waiting.current.length) {
        const fresh = waiting.current.splice(0, AT_ONCE).map((event) => ({ ...JSON.parse(decoder.decode(event)), isFresh: true }));
        setSeen((all) => joined(all, fresh).slice(0, 2 * KEPT));
      }
      timer = setTimeout(() => { frame = requestAnimationFrame(take); }, EVERY_MS);
    };
    take();
    return () => { clearTimeout(timer); cancelAnimationFrame(frame); };
  }, [paused]);

  // A pause holds the list of traces, too, which comes late from a busy server and again after a lost connection.
  const listed = useRef([]);
  if (!paused) listed.current = before.data?.data ?? [];
  const exchanges = joined(seen, listed.current).filter((one) => one.asked).slice(0, KEPT).filter((one) => !filter || (one.asked?.memory ?? '').includes(filter) || (one.asked?.model ?? '').includes(filter));
  return html`<div class="head"><${Title}>${t('nav.live')}</${Title}>
      <div class="live-controls"><input type="search" placeholder=${t('live.filter')} aria-label=${t('live.filter')} value=${filter} onInput=${(event) => setFilter(event.target.value)} />
      <button type="button" aria-pressed=${paused} onClick=${() => setPaused(!paused)}>${t(paused ? 'live.resume' : 'live.pause')}</button></div></div>
    ${exchanges.length ? html`<ol class="exchanges">${exchanges.map((one) => html`<${Exchange} key=${one.id} one=${one} zone=${zone} />`)}</ol>`
      : html`<${Empty} title=${t('live.none')}><p>${t('live.first')}</p><pre>everwhen serve --upstream http://127.0.0.1:11434
curl ${location.origin}/v1/chat/completions …</pre></${Empty}>`}`;
}

/** Exchanges with events added to them: requests and replies that belong together, the newest first. What came live is not replaced by what was kept. */
function joined(exchanges, events) {
  const found = new Map(exchanges.map((one) => [one.id, one]));
  for (const event of events) {
    const one = found.get(event.id) ?? { id: event.id };
    found.set(event.id, { ...one, [event.event]: one[event.event] ?? event });
  }
  return [...found.values()].sort((a, b) => b.id - a.id);
}

/** What the person said last, as a question to the memory. */
const lastWords = (asked) => asked.stored.findLast((entry) => entry.role === 'user')?.content.slice(0, 400);

/** Drawn again only when something of it has come, since others come all the time. */
function Exchange({ one: { asked, answered }, zone }) {
  return useMemo(() => html`<${Passed} asked=${asked} answered=${answered} zone=${zone} />`, [asked, answered, zone, language.value]);
}

function Passed({ asked, answered, zone }) {
  const degraded = asked.degraded ?? answered?.degraded;
  return html`<li class="exchange ${degraded ? 'degraded' : ''}" data-row="1" tabindex="-1">
    <p class="exchange-head"><time datetime=${asked.time}>${clock(asked.time, zone)}</time> <strong>${asked.model ?? asked.protocol}</strong>
      ${asked.memory && html` → <${Link} to=${{ view: 'timeline', vault: asked.vault, memory: asked.memory }}>${asked.memory}</${Link}>`}
      ${asked.memory && lastWords(asked) && html` · <${Link} to=${{ view: 'ask', vault: asked.vault, memory: asked.memory, params: { q: lastWords(asked) } }}>${t('live.ask')}</${Link}>`}
      <span class="muted"> · ${t('live.messages', { n: asked.messages })}${asked.is_auxiliary ? ` · ${t('live.auxiliary')}` : ''}</span></p>
    ${degraded && html`<p class="failure">${t('live.degraded', { why: degraded })}</p>`}
    <div class="two">
      <div class="sides"><h2>${t('live.sent')}</h2>${asked.stored.length ? asked.stored.map((entry) => html`<${Words} key=${entry.entry} entry=${entry} zone=${zone} />`) : html`<p class="muted">${t('live.nothing.new')}</p>`}</div>
      <div class="sides"><h2>${t('live.saw')}</h2><${Saw} asked=${asked} zone=${zone} /></div>
    </div>
    ${(answered || asked.isFresh) && html`<div class="sent role-assistant answer"><p class="muted">${answered ? t('live.answered', { n: answered.characters }) : t('live.waiting')}${answered?.truncated ? ` · ${t('live.truncated')}` : ''}</p>${answered?.content && html`<p><${Said} text=${answered.content} /></p>`}</div>`}
  </li>`;
}

const Words = ({ entry, zone, stamp }) => html`<div class="sent role-${entry.role}"><p class="muted">${t(`role.${entry.role}`)} · ${told(entry.conversation_time, zone)}</p><p>${stamp && html`<ins>${stamp}</ins> `}<${Said} text=${entry.content} /></p></div>`;

/** The request as the model got it: what the app sent, with everything that was added to it marked. */
function Saw({ asked, zone }) {
  const stamps = new Map(asked.stamped.map((one) => [one.message, one.stamp]));
  const fresh = new Set(asked.stored.map((entry) => entry.message));
  const earlier = asked.stamped.filter((one) => !fresh.has(one.message));
  const last = asked.stored.findLastIndex((entry) => entry.role === 'user');
  const memory = asked.injected && html`<div class="injected" key="memory"><p class="muted">${t('live.memory', { n: Math.ceil(asked.injected.length / PER_TOKEN) })}</p><pre dir="auto" tabindex="0" role="region" aria-label=${t('live.saw')}><ins>${asked.injected}</ins></pre></div>`;
  if (!earlier.length && !asked.stored.length && !memory) return html`<p class="muted">${t('live.nothing.added')}</p>`;
  return html`${earlier.length > 0 && html`<details class="stamps"><summary>${t('live.earlier', { n: earlier.length })}</summary><ul>${earlier.map((one) => html`<li key=${one.message}><span class="muted">${t('live.message', { n: one.message + 1 })}</span> <ins>${one.stamp}</ins></li>`)}</ul></details>`}
    ${asked.stored.map((entry, index) => html`<${Words} key=${entry.entry} entry=${entry} zone=${zone} stamp=${stamps.get(entry.message)} />${index === last && memory}`)}
    ${last < 0 && memory}`;
}
