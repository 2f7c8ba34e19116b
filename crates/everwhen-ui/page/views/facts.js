// What is known, by what it is about: the present value first, what it was before under it, and for each a chart of both clocks.
import { get, memoryPath, useLoad } from '../lib/api.js';
import { html, useMemo, useState } from '../lib/view.js';
import { Link, setParams } from '../lib/router.js';
import { Dialog, Empty, Loaded, Said, Time, Title } from '../lib/parts.js';
import { CorrectFact, RemoveFact, pin } from '../lib/acts.js';
import { cut } from '../lib/bytes.js';
import { Chart } from '../lib/chart.js';
import { dayOf, month, told, shortDay } from '../lib/time.js';
import { t } from '../lib/text.js';

export default function Facts({ route, zone, moment }) {
  const path = memoryPath(route);
  const about = moment.said === null ? undefined : dayOf(moment.said - 1, zone);
  const tag = route.params.tag;
  const found = useLoad((signal) => everything(path, { as_of: moment.asOf, about, tag, all: about || moment.asOf ? undefined : true }, signal), [path, moment.asOf, about, tag]);
  return html`<div class="head"><${Title}>${t('nav.facts')}</${Title}>
      ${tag && html`<button type="button" class="chip filter" title=${`#${tag}`} aria-pressed="true" onClick=${() => setParams({ tag: undefined })}><span>#${tag}</span> ✕</button>`}
      ${about && html`<p class="muted">${t('facts.about', { day: shortDay(moment.said - 1, zone) })}</p>`}</div>
    <${Loaded} of=${found}>${(facts) => (facts.length ? html`<${List} facts=${facts} zone=${zone} moment=${moment} route=${route} />`
      : html`<${Empty} title=${t('facts.none')}><p>${t('facts.first')}</p></${Empty}>`)}</${Loaded}>
    ${route.params.fact && html`<${Detail} path=${path} id=${route.params.fact} listed=${found.data?.find((fact) => fact.id === route.params.fact)} zone=${zone} moment=${moment} route=${route} />`}`;
}

/**
 * @param {import('../../types/client.js').AtMemory} path
 * @param {{ as_of?: string, about?: string, tag?: string, all?: boolean }} query
 * @param {AbortSignal} signal
 */
async function everything(path, query, signal) {
  /** @type {import('../../types/api.js').Fact[]} */
  const all = [];
  /** @type {string | null | undefined} */
  let cursor;
  for (;;) {
    const page = await get(`${path}/facts`, { ...query, limit: 1000, cursor }, { signal });
    all.push(...page.data);
    if (!page.has_more || all.length >= 5000) return all;
    cursor = page.next_cursor;
  }
}

/** Facts about one matter belong together; the rest stand for themselves. */
function matters(facts) {
  const groups = new Map();
  for (const fact of facts) {
    const key = fact.matter?.key ?? fact.id;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(fact);
  }
  const newest = (group) => group.reduce((last, fact) => (fact.last_mentioned_at > last ? fact.last_mentioned_at : last), '');
  return [...groups.values()].map((group) => [...group].sort((a, b) => (a.mentioned_at < b.mentioned_at ? 1 : -1)))
    .sort((a, b) => Number(b.some((fact) => fact.pinned)) - Number(a.some((fact) => fact.pinned)) || (newest(a) < newest(b) ? 1 : -1));
}

function List({ facts, zone, moment, route }) {
  const groups = useMemo(() => matters(facts), [facts]);
  const [valued, plain] = [groups.filter((group) => group[0].matter), groups.filter((group) => !group[0].matter)];
  return html`${valued.length > 0 && html`<section><h2>${t('facts.values')}</h2><ul class="matters">${valued.map((group) => html`<${Matter} key=${group[0].matter.key} group=${group} zone=${zone} past=${moment.past} route=${route} />`)}</ul></section>`}
    ${plain.length > 0 && html`<section><h2>${t('facts.statements')}</h2><ul class="statements">${plain.map(([fact]) => html`<${Statement} key=${fact.id} fact=${fact} zone=${zone} past=${moment.past} route=${route} />`)}</ul></section>`}`;
}

const shown = (fact) => fact.current;
/** Names and values are kept in small letters; the statement has them as they were said. */
const asSaid = (fact, text) => {
  const at = fact.statement.toLowerCase().indexOf(text.toLowerCase());
  return at < 0 ? text : fact.statement.slice(at, at + text.length);
};
const value = (fact) => asSaid(fact, fact.matter.value);
const holding = (fact, zone) => {
  const { since, until } = fact.holds;
  if (!since && !until) return '';
  if (since && until) return `${month(since, zone)} – ${month(until, zone)}`;
  return since ? t('facts.since', { at: month(since, zone) }) : t('facts.until', { at: month(until, zone) });
};

function Matter({ group, zone, past, route }) {
  const present = group.find(shown) ?? group[0];
  const former = group.filter((fact) => fact !== present);
  return html`<li class="matter ${present.current || past ? '' : 'faded'}">
    <p class="matter-key">${asSaid(present, present.matter.key)}<${PinButton} fact=${present} past=${past} route=${route} /></p>
    <p class="matter-value" dir="auto"><button type="button" class="plain" data-row="1" onClick=${() => setParams({ fact: present.id }, { replace: false })}>${value(present)}</button></p>
    <p class="muted">${holding(present, zone)}</p>
    ${former.length > 0 && html`<ul class="former">${former.map((fact) => html`<li key=${fact.id} class=${fact.current ? 'holds' : ''}><button type="button" class="plain" onClick=${() => setParams({ fact: fact.id }, { replace: false })}>${value(fact)}</button> <span class="muted">${holding(fact, zone)}</span></li>`)}</ul>`}
  </li>`;
}

function Statement({ fact, zone, past, route }) {
  return html`<li class="statement ${fact.current ? '' : 'faded'}">
    <${Time} class="muted" at=${fact.mentioned_at} zone=${zone} as=${shortDay} />
    <span class="statement-text" dir="auto"><button type="button" class="plain" data-row="1" onClick=${() => setParams({ fact: fact.id }, { replace: false })}>${fact.statement}</button>
      ${fact.tags.map((tag) => html`<button type="button" class="tag" key=${tag} onClick=${() => setParams({ tag })}>#${tag}</button>`)}</span>
    <${PinButton} fact=${fact} past=${past} route=${route} />
  </li>`;
}

function PinButton({ fact, past, route }) {
  if (past) return fact.pinned ? html`<span class="pinned">${t('pinned')}</span>` : null;
  return html`<button type="button" class="quiet pin" aria-pressed=${fact.pinned} onClick=${() => pin(route, fact)}>${t(fact.pinned ? 'pinned' : 'pin')}</button>`;
}

/** One fact: both clocks as a chart, and the words it rests on. In the past, its periods are those of the list: what was known then. */
function Detail({ path, id, listed, zone, moment, route }) {
  const [act, setAct] = useState(null);
  const close = () => setParams({ fact: undefined });
  const back = () => setAct(null);
  const found = useLoad((signal) => detail(path, id, signal), [path, id]);
  const fact = found.data?.fact;
  if (fact && act === 'correct') return html`<${CorrectFact} key="correct" route=${route} fact=${fact} onClose=${back} onDone=${(made) => { back(); setParams({ fact: made.id }); }} />`;
  if (fact && act === 'remove') return html`<${RemoveFact} key="remove" route=${route} fact=${fact} onClose=${back} onDone=${() => { back(); close(); }} />`;
  return html`<${Dialog} key="detail" title=${t('fact.title')} wide onClose=${close}><${Loaded} of=${found}>${({ fact: present, history, evidence }) => { const fact = (moment.past && listed) || present; return html`
    <div class="head"><p class="fact-text" dir="auto">${fact.statement}</p>
      ${moment.past ? html`<p class="note">${t('banner.locked')}</p>` : html`<div class="acts"><button type="button" class="quiet" onClick=${() => setAct('correct')}>${t('correct')}</button><button type="button" class="quiet" onClick=${() => setAct('remove')}>${t('fact.remove')}</button></div>`}</div>
    <dl class="pairs">
      <dt>${t('fact.holds')}</dt><dd>${holding(fact, zone) || t('fact.open')}</dd>
      <dt>${t('fact.known')}</dt><dd>${fact.known.until ? `${told(fact.known.since, zone)} – ${told(fact.known.until, zone)}` : t('facts.since', { at: told(fact.known.since, zone) })}</dd>
      <dt>${t('fact.source')}</dt><dd>${t(`fact.${fact.source}`)}</dd>
    </dl>
    <h3>${t('chart.title')}</h3>
    <${Chart} history=${history} current=${fact.id} zone=${zone} moment=${moment} onOpen=${(other) => setParams({ fact: other })} />
    <h3>${t('fact.evidence')}</h3>
    <ul class="evidence">${evidence.map(({ entry, start, end }) => html`<li key=${entry.id}><${Link} to=${{ view: 'conversation', id: entry.conversation_id, hash: entry.id }}>${told(entry.conversation_time, zone)}</${Link}>
      <p><${Said} text=${entry.content} mark=${(text) => { const [before, piece, behind] = cut(text, start, end); return html`${before}<mark>${piece}</mark>${behind}`; }} /></p></li>`)}</ul>
  `; }}</${Loaded}></${Dialog}>`;
}

/**
 * @param {import('../../types/client.js').AtMemory} path
 * @param {string} id
 * @param {AbortSignal} signal
 */
async function detail(path, id, signal) {
  const [fact, history] = await Promise.all([
    get(`${path}/facts/${id}`, null, { signal }),
    get(`${path}/facts/${id}/history`, null, { signal }),
  ]);
  const entries = await Promise.all(fact.evidence.map((piece) => get(`${path}/entries/${piece.entry_id}`, null, { signal })));
  return { fact, history: history.data, evidence: fact.evidence.map((piece, index) => ({ ...piece, entry: entries[index] })) };
}
