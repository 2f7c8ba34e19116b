// What a model is told about a memory: the context document with its versions, the profile, the chapters and the summary.
import { call, get, memoryPath, refresh, useLoad } from '../lib/api.js';
import { html, useState } from '../lib/view.js';
import { Link, setParams } from '../lib/router.js';
import { Copy, Empty, Loaded, Time, Title } from '../lib/parts.js';
import { WriteContext } from '../lib/acts.js';
import { changes } from '../lib/diff.js';
import { told, shortDay } from '../lib/time.js';
import { t } from '../lib/text.js';

export default function Document_({ route, zone, moment }) {
  const path = memoryPath(route);
  return html`<${Title} class="visually-hidden">${t('nav.document')}</${Title}>
    <div class="document">
      <div><${Context} path=${path} zone=${zone} moment=${moment} route=${route} /><${Summary} path=${path} zone=${zone} moment=${moment} /></div>
      <div><${Profile} path=${path} zone=${zone} moment=${moment} /><${Chapters} path=${path} zone=${zone} moment=${moment} route=${route} /></div>
    </div>`;
}

function Context({ path, zone, moment, route }) {
  const [writing, setWriting] = useState(false);
  const compare = route.params.compare !== 'no';
  const setCompare = (yes) => setParams({ compare: yes ? undefined : 'no' });
  const versions = useLoad((signal) => get(`${path}/context/versions`, { limit: 1000 }, { signal }), [path]);
  const rebuild = () => call('POST', `${path}/context/rebuild`).then(refresh, () => refresh());
  return html`<section><${Loaded} of=${versions}>${({ data }) => {
    const known = data.filter((one) => moment.known === null || Date.parse(one.creation_time) <= moment.known).sort((a, b) => b.version - a.version);
    const shown = known.find((one) => String(one.version) === route.params.version) ?? known[0];
    const before = shown && known.find((one) => one.version < shown.version);
    return html`<div class="head"><h2>${t('context.title')}</h2>${!moment.past && html`<div class="acts"><button type="button" class="quiet" onClick=${rebuild}>${t('context.rebuild')}</button><button type="button" onClick=${() => setWriting(true)}>${t('context.write')}</button></div>`}</div>
      ${shown ? html`<div class="row"><label class="inline">${t('context.version')} <select value=${String(shown.version)} onChange=${(event) => setParams({ version: event.target.value === String(known[0].version) ? undefined : event.target.value })}>${known.map((one) => html`<option key=${one.version} value=${String(one.version)}>${one.version} · ${shortDay(one.conversation_time, zone)}</option>`)}</select></label>
          ${before && html`<label class="inline"><input type="checkbox" checked=${compare} onChange=${(event) => setCompare(event.target.checked)} /> ${t('context.compare')}</label>`}</div>
        <p class="muted">${t('context.by', { who: t(`by.${shown.written_by}`), at: told(shown.creation_time, zone) })}</p>
        <div class="paper" dir="auto">${before && compare ? changes(before.content, shown.content).map(changed) : shown.content}</div>
        <p><${Copy} text=${shown.content} /></p>` : html`<${Empty} title=${t('context.none')}><p>${t('context.first')}</p></${Empty}>`}
      ${writing && html`<${WriteContext} route=${route} content=${known[0]?.content ?? ''} onClose=${() => setWriting(false)} />`}`;
  }}</${Loaded}></section>`;
}

/** A part of a text that changed; new words that follow old ones in the same line stand a little apart from them. */
function changed([kind, text], index, all) {
  if (kind === 'same') return text;
  if (kind === 'gone') return html`<del>${text}</del>`;
  const [before, words] = all[index - 1] ?? [];
  return html`<ins class=${before === 'gone' && !words.endsWith('\n') ? 'beside' : ''}>${text}</ins>`;
}

function Profile({ path, zone, moment }) {
  const profile = useLoad((signal) => get(`${path}/profile`, { as_of: moment.asOf }, { signal }), [path, moment.asOf]);
  return html`<section><h2>${t('profile.title')}</h2><${Loaded} of=${profile}>${({ data }) => (data.length
    ? html`<dl class="pairs">${data.map((one) => html`<dt key=${one.fact_id}>${one.key}</dt><dd><${Link} to=${{ view: 'facts', params: { fact: one.fact_id } }}>${one.value}</${Link}> <span class="muted">${shortDay(one.mentioned_at, zone)}</span></dd>`)}</dl>`
    : html`<p class="muted">${t('profile.none')}</p>`)}</${Loaded}></section>`;
}

function Chapters({ path, zone, moment }) {
  const chapters = useLoad((signal) => get(`${path}/chapters`, { as_of: moment.asOf, before: moment.before, limit: 1000 }, { signal }), [path, moment.asOf, moment.before]);
  return html`<section><h2>${t('chapters.title')}</h2><${Loaded} of=${chapters}>${({ data }) => (data.length
    ? html`<ol class="chapters">${data.map((chapter) => html`<li key=${chapter.id}><details><summary><span class="chapter-title" dir="auto">${chapter.title}</span> <span class="muted">${shortDay(chapter.started_at, zone)} – ${shortDay(chapter.last_at, zone)} · ${t('entries', { n: chapter.entry_count })}</span></summary><p dir="auto">${chapter.text}</p></details></li>`)}</ol>`
    : html`<p class="muted">${t('chapters.none')}</p>`)}</${Loaded}></section>`;
}

function Summary({ path, zone, moment }) {
  const versions = useLoad((signal) => get(`${path}/summary/versions`, { limit: 1000 }, { signal }), [path]);
  return html`<section><h2>${t('summary.title')}</h2><${Loaded} of=${versions}>${({ data }) => {
    const known = data.filter((one) => moment.known === null || Date.parse(one.creation_time) <= moment.known).sort((a, b) => b.version - a.version);
    if (!known.length) return html`<p class="muted">${t('summary.none')}</p>`;
    return html`<p class="muted">${t('summary.through', { n: known[0].chapters, at: shortDay(known[0].through, zone) })}</p><div class="paper" dir="auto">${known[0].text}</div>`;
  }}</${Loaded}></section>`;
}
