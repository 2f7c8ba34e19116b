// A question, what was found, and why: how much the words, the meaning and the dates spoke for each answer.
import { get, key, memoryPath, post, useLoad } from '../lib/api.js';
import { html, useEffect, useRef, useState } from '../lib/view.js';
import { Link, setParams } from '../lib/router.js';
import { Clamped, Copy, Empty, Loaded, Time, Title } from '../lib/parts.js';
import { clock, told, month, shortDay } from '../lib/time.js';
import { count, locale, t } from '../lib/text.js';

const LANES = ['words', 'meaning', 'when', 'joint'];
const LIMIT = 10;
/** How many that just missed the limit are shown. */
const MISSED = 5;
/** Characters that the server counts as a token. */
const PER_TOKEN = 4;

export default function Ask({ route, zone, moment, onMarks }) {
  const path = memoryPath(route);
  const query = route.params.q ?? '';
  const [typed, setTyped] = useState(query);
  const field = useRef(null);
  const body = { query, limit: LIMIT, missed: MISSED, explain: true, before: moment.before, asked_at: moment.before, as_of: moment.asOf };
  const found = useLoad((signal) => (query ? post(`${path}/recall`, body, { signal }) : Promise.resolve(null)), [path, query, moment.before, moment.asOf]);
  useEffect(() => setTyped(query), [query]);
  useEffect(() => { if (!query) field.current?.focus(); }, []);
  const about = found.data?.about;
  useEffect(() => {
    onMarks(about?.since || about?.until ? [[about.since ? Date.parse(about.since) : null, about.until ? Date.parse(about.until) : null]] : null);
  }, [about?.since, about?.until]);
  const ask = (event) => { event.preventDefault(); setParams({ q: typed.trim() }, { replace: false }); };
  return html`<${Title} class="visually-hidden">${t('nav.ask')}</${Title}>
    <form class="ask-box" role="search" onSubmit=${ask}>
      <input ref=${field} type="search" value=${typed} placeholder=${t('ask.placeholder')} aria-label=${t('ask.label')} autocomplete="off" onInput=${(event) => setTyped(event.target.value)} />
      <button class="primary" disabled=${!typed.trim()}>${t('ask.do')}</button>
    </form>
    ${query ? html`<${Loaded} of=${found}>${(answer) => html`<${Answer} answer=${answer} query=${query} body=${body} path=${path} zone=${zone} route=${route} />`}</${Loaded}>`
      : html`<${Examples} route=${route} moment=${moment} zone=${zone} />`}`;
}

/** Questions to begin with, about a time in which something was said. */
function Examples({ route, moment, zone }) {
  const path = memoryPath(route);
  const last = useLoad((signal) => get(`${path}/entries`, { order: 'desc', limit: 1, before: moment.before, as_of: moment.asOf }, { signal }), [path, moment.before, moment.asOf]);
  const entry = last.data?.data[0];
  const all = entry ? [t('ask.example.1', { month: month(entry.conversation_time, zone, 'long') }), t('ask.example.2'), t('ask.example.3')] : [];
  return html`<${Empty} title=${t('ask.none')}><p>${t('ask.first')}</p><ul class="examples">${all.map((text) => html`<li key=${text}><button type="button" class="link" onClick=${() => setParams({ q: text }, { replace: false })}>${text}</button></li>`)}</ul></${Empty}>`;
}

function Answer({ answer, query, body, path, zone, route }) {
  const [lit, setLit] = useState(null);
  const nothing = !answer.items.length && !answer.facts.length && !answer.conversations.length && !answer.chapters.length;
  const most = Math.max(0, ...[answer.items, answer.facts, answer.conversations, answer.chapters].flat().map((found) => total(found.reasons)));
  const said = ({ entry, outside, memory }) => html`<div class="found-text"><p class="muted"><${Link} to=${{ view: 'conversation', memory, id: entry.conversation_id, hash: entry.id }}><${Time} at=${entry.conversation_time} zone=${zone} as=${told} /></${Link}> · ${entry.speaker ?? t(`role.${entry.role}`)}${outside && html` · <span class="outside">${t('ask.outside')}</span>`}</p><${Clamped} text=${entry.content} /></div>`;
  const part = (title, rows, show, hint) => rows.length > 0 && html`<section class="found"><h2>${title}</h2>${hint && html`<p class="muted">${hint}</p>`}<ol>${rows.map((row) => html`<li class="found-row" id=${idOf(row)} key=${idOf(row)} data-row="1" tabindex="-1" onMouseEnter=${() => setLit(idOf(row))} onMouseLeave=${() => setLit(null)} onFocusIn=${() => setLit(idOf(row))} onFocusOut=${() => setLit(null)}>${show(row)}<${Why} reasons=${row.reasons} most=${most} /></li>`)}</ol></section>`;
  return html`<div class="reading">
      <p class="read-as">${marked(query, answer.about?.words ?? [])}</p>
      ${answer.about && html`<p class="muted">${period(answer.about, zone)}</p>`}
      ${answer.nothing_in_period && html`<p class="note">${t('ask.nothing.period')}</p>`}
      ${answer.words_alone && html`<p class="note">${t('ask.words.alone')}</p>`}
    </div>
    ${nothing ? html`<${Empty} title=${t('ask.nothing')}><p>${t('ask.nothing.hint')}</p></${Empty}>` : html`<${Legend} />`}
    <div class="answers">
      <div>
        ${part(t('ask.facts'), answer.facts, ({ fact }) => html`<p class="found-text" dir="auto"><${Link} to=${{ view: 'facts', params: { fact: fact.id } }}>${fact.statement}</${Link}> <span class="muted">${t('fact.mentioned', { at: shortDay(fact.mentioned_at, zone) })}${fact.pinned ? ` · ${t('ask.pinned')}` : ''}</span></p>`)}
        ${part(t('ask.entries'), answer.items, said)}
        ${part(t('ask.chapters'), answer.chapters, ({ chapter }) => html`<p class="found-text" dir="auto"><strong>${chapter.title}</strong> <span class="muted">${shortDay(chapter.started_at, zone)} – ${shortDay(chapter.last_at, zone)}</span></p>`)}
        ${part(t('ask.conversations'), answer.conversations, ({ conversation, memory }) => html`<p class="found-text" dir="auto"><${Link} to=${{ view: 'conversation', memory, id: conversation.id }}>${conversation.title ?? t('conversation.untitled')}</${Link}> <span class="muted">${shortDay(conversation.started_at, zone)}</span></p>`)}
        ${part(t('ask.missed'), answer.missed ?? [], said, t('ask.missed.hint', { n: LIMIT }))}
      </div>
      ${!nothing && html`<section class="briefing"><h2>${t('ask.briefing')}</h2><p class="muted">${t('ask.briefing.hint', { n: answer.briefing.length, tokens: Math.ceil(answer.briefing.length / PER_TOKEN) })}</p><pre dir="auto" tabindex="0" role="region" aria-label=${t('ask.briefing')}>${lines(answer, lit)}</pre>
        <p class="copies"><${Copy} text=${answer.briefing} label=${t('copy.briefing')} /> <${Copy} text=${curl(path, body)} label=${t('copy.curl')} /> <${Copy} text=${cli(route, body)} label=${t('copy.cli')} /> <${Copy} text=${mcp(route, body)} label=${t('copy.mcp')} /></p></section>`}
    </div>`;
}

/** The id of the row that shows something found, by which the lines of the briefing lead to it. */
const idOf = (found) => found.entry?.id ?? found.fact?.id ?? found.chapter?.id ?? found.conversation?.id;

/**
 * The briefing line by line; a line that tells something found leads to it, and is lit while that is looked at.
 * @param {import('../../types/api.js').Recollection} answer
 * @param {string | null} lit
 */
function lines(answer, lit) {
  const origins = new Map((answer.briefing_lines ?? []).map((one) => [one.line, one.entry_id ?? one.fact_id]));
  return answer.briefing.split('\n').map((text, index) => {
    const id = origins.get(index);
    const end = index ? '\n' : '';
    if (!id) return end + text;
    const show = (event) => { event.preventDefault(); const row = document.getElementById(id); row?.scrollIntoView({ block: 'center' }); row?.focus({ preventScroll: true }); };
    return html`${end}<a class="origin ${lit === id ? 'lit' : ''}" href="#${id}" onClick=${show}>${text}</a>`;
  });
}

/** The question with the words that were read as time marked. */
function marked(query, words) {
  const lower = query.toLowerCase();
  const places = words.map((word) => [lower.indexOf(word.toLowerCase()), word.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0]);
  const parts = [];
  let from = 0;
  for (const [at, length] of places) {
    if (at < from) continue;
    parts.push(query.slice(from, at), html`<mark class="when">${query.slice(at, at + length)}</mark>`);
    from = at + length;
  }
  return [...parts, query.slice(from)];
}

function period(about, zone) {
  if (about.order) return t('ask.order', { from: t(`ask.order.${about.order.from}`), of: t(`ask.order.${about.order.of}`) });
  if (about.since && about.until) {
    // Whole days are told as days, the last one included.
    const isWhole = clock(about.since, zone) === '00:00' && clock(about.until, zone) === '00:00';
    const [since, until] = isWhole ? [shortDay(about.since, zone), shortDay(Date.parse(about.until) - 1, zone)] : [told(about.since, zone), told(about.until, zone)];
    return since === until ? t('ask.day', { day: since }) : t('ask.period', { since, until });
  }
  if (about.since) return t('facts.since', { at: told(about.since, zone) });
  return about.until ? t('facts.until', { at: told(about.until, zone) }) : '';
}

const lane = (reason) => reason.lane ?? 'joint';
const total = (reasons) => (reasons ?? []).reduce((sum, reason) => sum + Math.max(0, reason.share), 0);

const Legend = () => html`<p class="legend muted">${LANES.map((name) => html`<span key=${name}><span class="swatch lane-${name}" aria-hidden="true">${t(`lane.${name}.letter`)}</span> ${t(`lane.${name}`)}</span>`)}</p>`;

/** A bar with a piece for each lane; opened, every signal with its value. */
function Why({ reasons, most }) {
  if (!reasons?.length || !most) return null;
  const shares = LANES.map((name) => [name, reasons.filter((reason) => lane(reason) === name).reduce((sum, reason) => sum + Math.max(0, reason.share), 0)]);
  return html`<details class="why"><summary aria-label=${t('ask.why', { words: percent(shares[0][1], most), meaning: percent(shares[1][1], most), when: percent(shares[2][1], most) })}>
      <span class="why-bar" aria-hidden="true">${shares.map(([name, share]) => share > 0 && html`<span key=${name} class="lane-${name}" style=${{ inlineSize: `${(share / most) * 100}%` }}>${share / most > 0.08 ? t(`lane.${name}.letter`) : ''}</span>`)}</span><span class="why-short">${t('ask.why.short')}</span></summary>
    <table class="signals"><thead><tr><th scope="col">${t('signal.name')}</th><th scope="col">${t('signal.value')}</th><th scope="col">${t('signal.share')}</th></tr></thead><tbody>${[...reasons].sort((a, b) => b.share - a.share).map((reason) => html`<tr key=${reason.signal}><th scope="row"><span class="swatch lane-${lane(reason)}" aria-hidden="true"></span> ${t(`signal.${reason.signal}`)}</th><td title=${reason.value}>${number(reason.value)}</td><td title=${reason.share}>${number(reason.share, 'exceptZero')}</td></tr>`)}</tbody></table>
  </details>`;
}

/** @type {(value: number, signDisplay?: 'auto' | 'exceptZero') => string} */
const number = (value, signDisplay = 'auto') => new Intl.NumberFormat(locale(), { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay }).format(value);
const percent = (share, most) => `${count(Math.round((share / most) * 100))} %`;

/** A text as one word of a shell, whatever is in it. */
const word = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const withKey = () => (key() ? '-H "authorization: Bearer $EVERWHEN_KEY" ' : '');
const curl = (path, body) => `curl ${word(`${location.origin}${path}/recall`)} ${withKey()}-H 'content-type: application/json' -d ${word(JSON.stringify(body))}`;
function mcp({ vault, memory }, { query, limit, asked_at, before, as_of }) {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_memories', arguments: { query, vault, memory, top_k: limit, asked_at, before, as_of } } });
}
function cli({ vault, memory }, { query, limit, asked_at, before, as_of }) {
  const bounds = Object.entries({ 'asked-at': asked_at, before, 'as-of': as_of }).filter(([, time]) => time).map(([name, time]) => `--${name} ${time} `).join('');
  return `everwhen recall --vault=${word(vault)} --memory=${word(memory)} ${bounds}--limit ${limit} --explain -- ${word(query)}`;
}
