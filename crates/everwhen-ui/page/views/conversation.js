// One conversation as a page to read and to print: who said what, and how long they waited for each other.
import { get, memoryPath, useLoad } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/view.js';
import { Link, go, setParams } from '../lib/router.js';
import { Loaded, Said, Time, Title } from '../lib/parts.js';
import { CorrectEntry, EndConversation, ForgetConversation, ForgetEntry } from '../lib/acts.js';
import { Banner } from '../lib/moment.js';
import { clock, dayOf, daysBetween, duration, longDay, told, pause, shortDay } from '../lib/time.js';
import { t } from '../lib/text.js';

/** A shorter wait between two messages is not worth saying. */
const WAIT_MS = 2 * 60_000;
/** How far the neighbours of a conversation are looked for in the past, where every one within the bounds is read. */
const NEAR_DAYS = 180;
const around = (time, side) => new Date(Date.parse(time) + side * NEAR_DAYS * 86_400_000).toISOString();

export default function Conversation({ route, zone, moment }) {
  const path = memoryPath(route);
  const branch = route.params.branch ?? null;
  const setBranch = (id) => setParams({ branch: id ?? undefined });
  const [box, setBox] = useState(null);
  const found = useLoad((signal) => load(path, route.id, moment.asOf, signal), [path, route.id, moment.asOf]);
  const other = useLoad((signal) => (branch ? get(`${path}/entries`, { branch, limit: 1000 }, { signal }) : Promise.resolve(null)), [path, branch]);
  useEffect(() => {
    if (!route.hash || !found.data) return;
    const row = document.getElementById(route.hash);
    row?.scrollIntoView({ block: 'center' });
    row?.focus({ preventScroll: true });
  }, [route.hash, found.data]);
  const close = () => setBox(null);
  return html`<${Loaded} of=${found}>${({ conversation, entries, replaced, facts, previous, next }) => html`<${Banner} moment=${{ ...moment, said: null }} /><article class="conversation">
    <div class="head">
      <${Title}>${conversation.title ?? t('conversation.untitled')}</${Title}>
      <div class="acts no-print">
        ${previous && html`<${Link} class="button quiet" data-previous="1" to=${{ view: 'conversation', id: previous }}>← ${t('conversation.previous')}</${Link}>`}
        ${next && html`<${Link} class="button quiet" data-next="1" to=${{ view: 'conversation', id: next }}>${t('conversation.next')} →</${Link}>`}
        <button type="button" class="quiet" onClick=${() => print()}>${t('print')}</button>
        ${!moment.past && !conversation.ended_at && html`<button type="button" class="quiet" onClick=${() => setBox({ kind: 'end' })}>${t('end.do')}</button>`}
        ${!moment.past && html`<button type="button" class="quiet" onClick=${() => setBox({ kind: 'forgetAll' })}>${t('forget')}</button>`}
      </div>
    </div>
    <p class="muted">${span(conversation, zone)} · ${t('messages', { n: conversation.message_count })} · ${ended(conversation)}</p>
    ${conversation.summary && html`<p class="summary" dir="auto">${conversation.summary}</p>`}
    <${Work} time=${conversation.conversation_time} />
    ${conversation.branches.length > 0 && html`<div class="chips no-print" role="group" aria-label=${t('branches')}>
      <button type="button" class="chip" aria-pressed=${branch === null} onClick=${() => setBranch(null)}>${t('branch.main')}</button>
      ${conversation.branches.map((one) => html`<button type="button" key=${one.id} class="chip" aria-pressed=${branch === one.id} onClick=${() => setBranch(one.id)}>${t('branch.left', { at: shortDay(one.archived_at, zone), n: one.message_count })}</button>`)}
    </div>`}
    <div class="reader">
      <ol class="messages">${messages(branch && other.data ? other.data.data : entries, replaced, zone, branch || moment.past ? null : setBox)}</ol>
      ${facts.length > 0 && html`<section class="learned"><h2>${t('conversation.learned')}</h2><ul>${facts.map((fact) => html`<li key=${fact.id}><${Link} to=${{ view: 'facts', params: { fact: fact.id } }}>${fact.statement}</${Link}></li>`)}</ul></section>`}
    </div>
    ${box?.kind === 'correct' && html`<${CorrectEntry} route=${route} entry=${box.entry} onClose=${close} />`}
    ${box?.kind === 'forget' && html`<${ForgetEntry} route=${route} entry=${box.entry} zone=${zone} onClose=${close} />`}
    ${box?.kind === 'end' && html`<${EndConversation} route=${route} conversation=${conversation} onClose=${close} />`}
    ${box?.kind === 'forgetAll' && html`<${ForgetConversation} route=${route} conversation=${conversation} zone=${zone} onClose=${close} onGone=${() => go({ view: 'timeline' })} />`}
  </article>`}</${Loaded}>`;
}

/**
 * @param {import('../../types/client.js').AtMemory} path
 * @param {string} id
 * @param {string | undefined} asOf
 * @param {AbortSignal} signal
 */
async function load(path, id, asOf, signal) {
  const conversation = await get(`${path}/conversations/${encodeURIComponent(id)}`, { as_of: asOf }, { signal });
  const name = conversation.source_id ?? conversation.id;
  const [all, facts, earlier, later] = await Promise.all([
    get(`${path}/entries`, { conversation_id: name, ...(asOf ? { as_of: asOf } : { include: 'all' }), limit: 1000 }, { signal }),
    get(`${path}/facts`, asOf ? { as_of: asOf, limit: 1000 } : { all: true, limit: 1000 }, { signal }),
    get(`${path}/conversations`, { after: asOf && around(conversation.started_at, -1), before: conversation.started_at, as_of: asOf, order: 'desc', limit: 1, archived: 'all' }, { signal }),
    get(`${path}/conversations`, { after: conversation.last_at, before: asOf && around(conversation.last_at, 1), as_of: asOf, order: 'asc', limit: 2, archived: 'all' }, { signal }),
  ]);
  const { entries } = conversation;
  const ids = new Set(entries.map((entry) => entry.id));
  const replaced = new Map(all.data.filter((entry) => entry.corrected_by).map((entry) => [entry.corrected_by?.entry_id, entry]));
  const other = (page) => page.data.find((one) => one.id !== conversation.id && one.started_at !== conversation.started_at);
  return {
    conversation, entries, replaced,
    facts: facts.data.filter((fact) => fact.evidence.some((piece) => ids.has(piece.entry_id))),
    previous: other(earlier)?.id, next: other(later)?.id,
  };
}

/** From when to when; the day is said once if it is the same. */
function span({ started_at: from, last_at: to }, zone) {
  return told(from, zone) === told(to, zone) ? told(from, zone) : t('conversation.span', { from: told(from, zone), to: dayOf(from, zone) === dayOf(to, zone) ? clock(to, zone) : told(to, zone) });
}

function ended(conversation) {
  if (!conversation.ended_at) return t('conversation.open');
  return conversation.ended_by === 'caller' ? t('conversation.ended.word', { reason: conversation.end_reason ?? '' }) : t('conversation.ended.pause');
}

/** How much of the time was work and how much was waiting. */
function Work({ time }) {
  if (!time || time.active_unknown || !time.conversation_elapsed_ms) return null;
  const share = Math.min(1, time.conversation_active_ms / time.conversation_elapsed_ms);
  return html`<div class="work"><div class="work-bar" role="img" aria-label=${t('work', { active: duration(time.conversation_active_ms), idle: duration(time.conversation_idle_ms) })}><span style=${{ inlineSize: `${share * 100}%` }}></span></div>
    <p class="muted">${t('work', { active: duration(time.conversation_active_ms), idle: duration(time.conversation_idle_ms) })}</p></div>`;
}

function messages(entries, replaced, zone, onBox) {
  /** @type {import('../../types/api.js').Entry | null} */
  let before = null;
  return entries.map((entry) => {
    const day = dayOf(entry.conversation_time, zone);
    const isNewDay = !before || dayOf(before.conversation_time, zone) !== day;
    const silent = before && isNewDay ? daysBetween(dayOf(before.conversation_time, zone), day) : 0;
    const wait = before ? Date.parse(entry.conversation_time) - Date.parse(before.conversation_time) : 0;
    before = entry;
    const old = replaced.get(entry.id);
    return html`<${Message} key=${entry.id} entry=${entry} old=${old} zone=${zone} day=${isNewDay} silent=${silent} wait=${isNewDay ? 0 : wait} onBox=${onBox} />`;
  });
}

function Message({ entry, old, zone, day, silent, wait, onBox }) {
  return html`${day && html`<li class="day-line">${silent > 1 && html`<span class="silence">${t('timeline.silence', { pause: pause(silent) })}</span>`}<h2 class="day">${longDay(entry.conversation_time, zone)}</h2></li>`}
    ${wait > WAIT_MS && html`<li class="wait"><span>${duration(wait)}</span></li>`}
    <li id=${entry.id} class="message role-${entry.role}" tabindex="-1" data-row="1">
      <p class="who"><strong>${entry.speaker ?? t(`role.${entry.role}`)}</strong> <${Time} class="muted" at=${entry.conversation_time} zone=${zone} as=${clock} /></p>
      ${old && html`<del class="old"><${Said} text=${old.content} /></del><p class="note">${t('entry.corrected', { at: told(old.corrected_by.at, zone), reason: entry.corrects?.reason ?? '' })}</p>`}
      <div class="words"><${Said} text=${entry.content} /></div>
      ${entry.tools_used?.length > 0 && html`<p class="note">${t('entry.tools', { names: entry.tools_used.join(', ') })}</p>`}
      ${onBox && html`<div class="acts no-print"><button type="button" class="quiet" onClick=${() => onBox({ kind: 'correct', entry })}>${t('correct')}</button><button type="button" class="quiet" onClick=${() => onBox({ kind: 'forget', entry })}>${t('forget')}</button></div>`}
    </li>`;
}
