// Everything that was said up to a moment, in order, with the pauses in between. A window of a few hundred rows moves over it,
// so that a memory of a million entries costs no more than a small one.
import { get, memoryPath, revision } from '../lib/api.js';
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useObservable, useRef, useState } from '../lib/view.js';
import { Link, go, setParams } from '../lib/router.js';
import { Act, Clamped, Empty, Failure, Loading, Time, Title } from '../lib/parts.js';
import { dragging } from '../lib/moment.js';
import { clock, dayOf, daysBetween, longDay, pause } from '../lib/time.js';
import { language, t } from '../lib/text.js';

const PAGE = 100;
/** Pages that are in the document at once. */
const SHOWN = 4;
/** Rows of a page that come into the document in one frame, so that no frame takes long. They fill a window of usual size. */
const CHUNK = 26;
/** While a clock is dragged only what fills the window is fetched, by the height of the lowest row. */
const fillsWindow = () => Math.min(PAGE, Math.max(10, Math.ceil((innerHeight - 180) / 28)));
/** How near to an end of the window the next page is fetched, in pixels. */
const NEAR = 800;
const ROLES = ['user', 'assistant'];
const ACTS = { add: 'AddEntry', correct: 'CorrectEntry', forget: 'ForgetEntry' };

export default function Timeline({ route, zone, moment }) {
  const [box, setBox] = useState(null);
  const close = () => setBox(null);
  const { role, tag } = route.params;
  return html`<div class="head timeline-head">
      <${Title}>${t('nav.timeline')}</${Title}>
      <div class="chips" role="group" aria-label=${t('filter')}>
        <button type="button" class="chip" aria-pressed=${!role} onClick=${() => setParams({ role: undefined })}>${t('filter.all')}</button>
        ${ROLES.map((one) => html`<button type="button" key=${one} class="chip" aria-pressed=${role === one} onClick=${() => setParams({ role: role === one ? undefined : one })}>${t(`role.${one}`)}</button>`)}
        ${tag && html`<button type="button" class="chip filter" title=${`#${tag}`} aria-pressed="true" onClick=${() => setParams({ tag: undefined })}><span>#${tag}</span> ✕</button>`}
      </div>
      ${!moment.past && html`<button type="button" class="primary" onClick=${() => setBox({ kind: 'add' })}>${t('add.title')}</button>`}
    </div>
    <${Rows} route=${route} zone=${zone} moment=${moment} onBox=${setBox} />
    ${box && html`<${Act} name=${ACTS[box.kind]} route=${route} zone=${zone} entry=${box.entry} onClose=${close} />`}`;
}

/** A page as it comes in: its rows in chunks, the newest first, of which the first is shown at once. */
function page(cursor, rows, next, titles, downward) {
  const chunks = [];
  for (let end = rows.length; end > 0; end -= CHUNK) chunks.push(rows.slice(Math.max(0, end - CHUNK), end));
  return { cursor, next, titles, chunks, shown: 1, downward };
}

/** The moving window. Page 0 is the newest; `low` to `high` are in the document, except for chunks that come in the next frames. */
function useWindow(route, moment) {
  const turn = useObservable(revision);
  const path = memoryPath(route);
  const { role, tag } = route.params;
  const [state, set] = useState({ pages: [], low: 0, high: -1, error: null, loading: true, generation: 0 });
  const busy = useRef(null);
  const current = useRef(state);
  current.current = state;
  const query = { order: /** @type {'desc'} */ ('desc'), before: moment.before, as_of: moment.asOf, role, tag };

  const fetchPage = useCallback(async (cursor, downward, signal, /** @type {((page: any) => void) | undefined} */ onRows = undefined) => {
    const found = await get(`${path}/entries`, { ...query, limit: dragging.value ? fillsWindow() : PAGE, cursor }, { signal });
    const rows = found.data.reverse();
    const next = found.has_more ? found.next_cursor : null;
    onRows?.(page(cursor, rows, next, new Map(), downward));
    return page(cursor, rows, next, rows.length ? await titlesOf(path, rows, moment.asOf, signal) : new Map(), downward);
  }, [path, moment.before, moment.asOf, role, tag]);

  useLayoutEffect(() => {
    const abort = new AbortController();
    busy.current?.abort();
    busy.current = abort;
    const begin = (first, old) => ({ pages: [first], low: 0, high: 0, error: null, loading: false, generation: old.generation + 1 });
    // The first words are shown before the titles above them are there; later ones replace what is there with both.
    let early = null;
    const onRows = current.current.pages.length ? undefined : (first) => { if (first.chunks.length && !abort.signal.aborted) { early = first; set((old) => begin(first, old)); } };
    fetchPage(undefined, false, abort.signal, onRows).then(
      (first) => { if (!abort.signal.aborted) { busy.current = null; set((old) => (early ? { ...old, pages: [{ ...old.pages[0], titles: first.titles }, ...old.pages.slice(1)] } : begin(first, old))); } },
      (error) => { if (!abort.signal.aborted) { busy.current = null; set((old) => ({ ...old, error, loading: false })); } },
    );
    return () => abort.abort();
  }, [fetchPage, turn]);

  const move = useCallback(async (older) => {
    const { pages, low, high } = current.current;
    const cursor = older ? pages[high]?.next : pages[low - 1]?.cursor;
    if (busy.current || isPartial(current.current) || (older ? !cursor : low === 0)) return;
    const abort = new AbortController();
    busy.current = abort;
    try {
      const index = older ? high + 1 : low - 1;
      const next = await fetchPage(older ? cursor : pages[index].cursor, !older, abort.signal);
      if (abort.signal.aborted) return;
      set((old) => shifted(old, index, next, older));
    } catch { /* scrolling again asks again */ } finally { if (busy.current === abort) busy.current = null; }
  }, [fetchPage]);
  /** Shows one chunk more of the page that came last. */
  const reveal = useCallback(() => set((old) => ({ ...old, pages: old.pages.map((one) => (isHalf(one) ? { ...one, shown: one.shown + 1 } : one)) })), []);
  return { ...state, partial: isPartial(state), move, reveal };
}

const isHalf = (one) => one.chunks?.length > one.shown;
const isPartial = ({ pages }) => pages.some(isHalf);

/** The window with one more page at an end; at the other end one leaves when there are too many. */
function shifted(old, index, next, older) {
  const pages = [...old.pages];
  pages[index] = next;
  let { low, high } = old;
  if (older) { high = index; low = Math.max(low, high - SHOWN + 1); } else { low = index; high = Math.min(high, low + SHOWN - 1); }
  // Pages outside the window keep their cursor, so that they can be fetched again, and nothing else.
  const slim = pages.map((one, at) => (at < low || at > high ? { cursor: one.cursor, next: one.next } : one));
  return { ...old, pages: slim, low, high };
}

/**
 * The chunks in the document, the oldest first. Their keys are places in the window and not what stands there, so that another moment
 * changes the words of rows and does not make new rows.
 */
function shownChunks({ pages, low, high }) {
  const all = [];
  let before = null;
  for (let index = high; index >= low; index -= 1) {
    const { chunks, shown, downward, titles } = pages[index];
    const from = downward ? chunks.length - shown : 0;
    for (let at = Math.min(chunks.length, from + shown) - 1; at >= Math.max(0, from); at -= 1) {
      all.push({ key: `${index} ${at}`, rows: chunks[at], titles, before });
      before = chunks[at].at(-1);
    }
  }
  return all;
}

/**
 * @param {import('../../types/client.js').AtMemory} path
 * @param {import('../../types/api.js').Entry[]} rows
 * @param {string | undefined} asOf
 * @param {AbortSignal} signal
 */
async function titlesOf(path, rows, asOf, signal) {
  const [first, last] = [rows[0].conversation_time, rows[rows.length - 1].conversation_time];
  const before = new Date(Date.parse(last) + 1000).toISOString();
  const page = await get(`${path}/conversations`, { after: first, before, as_of: asOf, archived: 'all', limit: 1000 }, { signal });
  const titles = new Map(page.data.map((one) => [one.id, one]));
  for (const one of page.data) if (one.source_id) titles.set(one.source_id, one);
  return titles;
}

function Rows({ route, zone, moment, onBox }) {
  const view = useWindow(route, moment);
  const list = useRef(null);
  const anchor = useRef(null);
  const chunks = useMemo(() => shownChunks(view), [view.pages, view.low, view.high]);
  // A clock that is dragged changes the moment often and the rows seldom; they are drawn again only when they change.
  const drawn = useMemo(() => chunks.map((one) => html`<${Chunk} ...${one} zone=${zone} past=${moment.past} onBox=${onBox} />`), [chunks, zone, moment.past, onBox]);

  const onScroll = useCallback(() => {
    const box = list.current;
    if (!box || dragging.value) return;
    anchor.current = visible(box);
    if (box.scrollTop < NEAR) view.move(true);
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR) view.move(false);
  }, [view.move]);
  // The last rows of a drag may come before or after its end; in both cases what belongs above them follows.
  useEffect(() => dragging.watch((isDragged) => { if (!isDragged) onScroll(); }), [onScroll]);
  useEffect(() => {
    if (!view.partial) { if (view.generation) onScroll(); return; }
    const frame = requestAnimationFrame(() => {
      anchor.current = list.current && visible(list.current);
      view.reveal();
    });
    return () => cancelAnimationFrame(frame);
  }, [view.generation, view.partial, chunks]);
  useLayoutEffect(() => {
    const box = list.current;
    if (!box) return;
    anchor.current = null;
    box.scrollTop = box.scrollHeight;
  }, [view.generation]);
  useLayoutEffect(() => {
    const box = list.current;
    const kept = anchor.current && box?.querySelector(`[data-entry="${anchor.current.id}"]`);
    if (kept) box.scrollTop += kept.getBoundingClientRect().top - anchor.current.top;
  }, [chunks]);

  if (view.error && !chunks.length) return html`<${Failure} error=${view.error} />`;
  if (view.loading && !chunks.length) return html`<${Loading} />`;
  if (!chunks.length) return html`<${Nothing} moment=${moment} />`;
  return html`<div class="timeline" ref=${list} onScroll=${onScroll} tabindex="0" role="region" aria-label=${t('nav.timeline')} data-before=${moment.before} data-as-of=${moment.asOf} data-generation=${view.generation}>
    <div class="rows">
      ${view.pages[view.high]?.next ? html`<p class="end muted">${t('timeline.older')}</p>` : html`<p class="end muted">${t('timeline.beginning')}</p>`}
      ${drawn}
      ${view.low === 0 && moment.said !== null && html`<p class="end muted">${t('timeline.until', { at: moment.saidTold })}</p>`}
    </div>
  </div>`;
}

/** The first row that can be seen, and where it is. */
function visible(box) {
  const top = box.getBoundingClientRect().top;
  for (const row of box.querySelectorAll('[data-entry]')) {
    const place = row.getBoundingClientRect();
    if (place.bottom > top) return { id: row.dataset.entry, top: place.top };
  }
  return null;
}

/** Runs of rows of one day and one conversation, with the days of silence before them; `before` is the row above the first. */
function grouped(rows, before, zone) {
  const groups = [];
  let last = before && { day: dayOf(before.conversation_time, zone), conversation: before.conversation_id };
  for (const entry of rows) {
    const day = dayOf(entry.conversation_time, zone);
    const isNewDay = last?.day !== day;
    const isNewConversation = last?.conversation !== entry.conversation_id;
    if (groups.length && !isNewDay && !isNewConversation) { last.rows.push(entry); continue; }
    last = { day, conversation: entry.conversation_id, isNewDay, isNewConversation, silence: last ? daysBetween(last.day, day) : 0, rows: [entry] };
    groups.push(last);
  }
  return groups;
}

/** Rows that came into the document together. They are drawn again only when they change, whatever happens around them. */
function Chunk({ rows, before, titles, zone, past, onBox }) {
  const above = before?.id;
  return useMemo(() => grouped(rows, before, zone).map((group, index) => html`<${Group} key=${index} group=${group} zone=${zone} titles=${titles} past=${past} onBox=${onBox} />`),
    [rows, above, titles, zone, past, onBox, language.value]);
}

function Group({ group, zone, titles, past, onBox }) {
  const conversation = titles.get(group.conversation);
  const open = { view: 'conversation', id: group.conversation };
  return html`<section class="group">
    ${group.silence > 1 && html`<p class="silence"><span>${t('timeline.silence', { pause: pause(group.silence) })}</span></p>`}
    ${group.isNewDay && html`<h2 class="day"><time datetime=${group.day}>${longDay(group.rows[0].conversation_time, zone)}</time></h2>`}
    ${group.isNewConversation && html`<h3 class="conversation-title"><${Link} to=${open}>${conversation?.title ?? t('conversation.untitled')}</${Link}>${conversation && !conversation.ended_at && html` <span class="live-dot">${t('conversation.open')}</span>`}</h3>`}
    <ol class="entries">${group.rows.map((entry, index) => html`<${Row} key=${index} entry=${entry} zone=${zone} past=${past} onBox=${onBox} />`)}</ol>
  </section>`;
}

function Row({ entry, zone, past, onBox }) {
  const open = { view: 'conversation', id: entry.conversation_id, hash: entry.id };
  const onKeyDown = (event) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') go(open);
    if (event.key === 'c' && !past) onBox({ kind: 'correct', entry });
  };
  return html`<li class="entry role-${entry.role}" data-row="1" data-entry=${entry.id} tabindex="-1" onKeyDown=${onKeyDown}>
    <${Link} class="entry-time" to=${open} tabindex="-1"><${Time} at=${entry.conversation_time} zone=${zone} as=${clock} /></${Link}>
    <span class="who">${entry.speaker ?? t(`role.${entry.role}`)}</span>
    <div class="words"><${Clamped} text=${entry.content} />
      ${entry.corrects && html`<p class="note">${t('entry.corrects', { reason: entry.corrects.reason })}</p>`}
      ${entry.tags?.length > 0 && html`<p class="tags">${entry.tags.map((tag) => html`<button type="button" class="tag" key=${tag} onClick=${() => setParams({ tag })}>#${tag}</button>`)}</p>`}
    </div>
    ${!past && html`<div class="acts">
      <button type="button" class="quiet" onClick=${() => onBox({ kind: 'correct', entry })}>${t('correct')}</button>
      <button type="button" class="quiet" onClick=${() => onBox({ kind: 'forget', entry })}>${t('forget')}</button>
    </div>`}
  </li>`;
}

const Nothing = ({ moment }) => (moment.said === null && moment.known === null
  ? html`<${Empty} title=${t('timeline.none')}><p>${t('timeline.first')}</p></${Empty}>`
  : html`<${Empty} title=${t('timeline.nothing')}><p>${t('timeline.nothing.hint', { at: moment.saidTold || moment.knownTold })}</p></${Empty}>`);
