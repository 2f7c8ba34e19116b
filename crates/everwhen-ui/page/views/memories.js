// Memories of a vault, each with the years it covers.
import { get, memoryPath, useLoad, vaultPath } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/view.js';
import { Link, go } from '../lib/router.js';
import { Empty, Loaded, Time, Title } from '../lib/parts.js';
import { ForgetMemory, NameMemory } from '../lib/acts.js';
import { Strip } from '../lib/strip.js';
import { ago, shortDay } from '../lib/time.js';
import { t } from '../lib/text.js';

const BUCKETS = 120;
/** The number of days whose conversations are shown as open or waiting. */
const RECENT_DAYS = 7;

export default function Memories({ route, zone }) {
  const vaults = useLoad((signal) => get('/v1/vaults', { limit: 1000 }, { signal }), []);
  useEffect(() => {
    const only = vaults.data?.data;
    if (route.view === 'home' && only?.length === 1) go({ view: 'memories', vault: only[0].name, memory: undefined }, { replace: true });
  }, [vaults.data, route.view]);
  return html`<${Loaded} of=${vaults}>${({ data }) => {
    if (!data.length) return html`<${First} />`;
    if (route.vault) return html`${data.length > 1 && html`<${Vaults} all=${data} current=${route.vault} />`}<${List} vault=${route.vault} zone=${zone} />`;
    return html`<${Title}>${t('vaults.title')}</${Title}><${Vaults} all=${data} />`;
  }}</${Loaded}>`;
}

/** What to do when there is nothing yet. */
const First = () => html`<${Title}>${t('memories.title')}</${Title}><${Empty} title=${t('memories.none')}>
  <p>${t('memories.first')}</p>
  <pre>everwhen remember "I moved to Lisbon" --at 2024-03-01
everwhen demo</pre>
</${Empty}>`;

const Vaults = ({ all, current }) => html`<nav class="vaults" aria-label=${t('vaults.title')}>${all.map((vault) => html`
  <${Link} key=${vault.id} class="chip" to=${{ view: 'memories', vault: vault.name, memory: undefined }} aria-current=${current === vault.name ? 'true' : undefined} title=${vault.description}>${vault.name}</${Link}>`)}</nav>`;

function List({ vault, zone }) {
  const [box, setBox] = useState(null);
  const memories = useLoad((signal) => get(`${vaultPath(vault)}/memories`, { limit: 1000 }, { signal }), [vault]);
  const close = () => setBox(null);
  return html`<div class="head"><${Title}>${t('memories.title')}</${Title}><button type="button" class="primary" onClick=${() => setBox({ kind: 'new' })}>${t('memory.new')}</button></div>
    <${Loaded} of=${memories}>${({ data }) => (data.length
      ? html`<ul class="memories">${[...data].sort((a, b) => (a.last_activity < b.last_activity ? 1 : -1)).map((memory) => html`<${Row} key=${memory.id} vault=${vault} memory=${memory} zone=${zone} onBox=${setBox} />`)}</ul>`
      : html`<${First} />`)}</${Loaded}>
    ${box?.kind === 'new' && html`<${NameMemory} vault=${vault} onClose=${close} onDone=${(made) => go({ view: 'timeline', vault, memory: made.name })} />`}
    ${box?.kind === 'rename' && html`<${NameMemory} vault=${vault} memory=${box.memory} onClose=${close} />`}
    ${box?.kind === 'forget' && html`<${ForgetMemory} route=${{ vault, memory: box.memory.name }} zone=${zone} onClose=${close} />`}`;
}

function Row({ vault, memory, zone, onBox }) {
  const path = memoryPath({ vault, memory: memory.name });
  const density = useLoad((signal) => get(`${path}/density`, { buckets: BUCKETS }, { signal }), [path]);
  const last = useLoad((signal) => get(`${path}/entries`, { order: 'desc', limit: 1 }, { signal }), [path]);
  const recent = useLoad((signal) => get(`${path}/conversations`, { after: new Date(Date.now() - RECENT_DAYS * 86_400_000).toISOString(), order: 'desc', limit: 100 }, { signal }), [path]);
  const inState = (state) => recent.data?.data.filter((one) => one.state === state).length ?? 0;
  const to = { view: 'timeline', vault, memory: memory.name };
  const total = density.data?.counts.reduce((sum, one) => sum + one, 0) ?? 0;
  const words = last.data?.data[0];
  return html`<li class="memory" tabindex="-1" data-row="1" onKeyDown=${(event) => { if (event.key === 'Enter' && event.target === event.currentTarget) go(to); }}>
    <div class="memory-name"><${Link} to=${to}>${memory.name}</${Link}>${inState('active') > 0 && html` <span class="live-dot">${t('conversation.open')}</span>`}${memory.description && html`<p class="muted">${memory.description}</p>`}</div>
    <div class="memory-words">${words ? html`<p class="last" dir="auto">${words.content.slice(0, 240)}</p>` : html`<p class="muted">${t('memory.empty')}</p>`}</div>
    <div class="memory-strip">${density.data?.first && html`<${Strip} counts=${density.data.counts} tone="accent" label=${t('density.said', { total, from: shortDay(density.data.first, zone), to: shortDay(density.data.last, zone), most: '' })} />
      <span class="ends" aria-hidden="true"><span>${shortDay(density.data.first, zone)}</span><span>${shortDay(density.data.last, zone)}</span></span>`}</div>
    <div class="memory-facts"><span>${t('entries', { n: total })}</span>${words && html`<span class="muted"><${Time} at=${words.conversation_time} zone=${zone} as=${(at) => ago(at)} /></span>`}${inState('cooling') > 0 && html`<span class="muted">${t('memory.waits', { n: inState('cooling') })}</span>`}</div>
    <div class="acts"><button type="button" class="quiet" onClick=${() => onBox({ kind: 'rename', memory })}>${t('rename')}</button><button type="button" class="quiet" onClick=${() => onBox({ kind: 'forget', memory })}>${t('forget')}</button></div>
  </li>`;
}
