// Starts the page: language, key, router, shell, keyboard. Each view is a module of its own and is loaded when it is opened.
import { answered } from '../early.js';
import { connection, get, key, keyWanted, lose, setKey, useLoad, vaultPath } from './api.js';
import { html, render, useEffect, useLayoutEffect, useObservable, useState } from './view.js';
import { Link, go, parse, route, useRoute } from './router.js';
import { Failure, Loading } from './parts.js';
import { Moment, WrongMoment, readMoment } from './moment.js';
import { DropTarget } from './drop.js';
import { Help, listen } from './keyboard.js';
import { language, loadLanguage, t } from './text.js';
import { applyTheme } from './theme.js';

const VIEWS = {
  home: () => import('../views/memories.js'),
  memories: () => import('../views/memories.js'),
  timeline: () => import('../views/timeline.js'),
  conversation: () => import('../views/conversation.js'),
  facts: () => import('../views/facts.js'),
  ask: () => import('../views/ask.js'),
  document: () => import('../views/document.js'),
  live: () => import('../views/live.js'),
  settings: () => import('../views/settings.js'),
};
/** So long the page waits with its first picture for answers that are on their way, since a picture without them delays one with them. */
const GLANCE_MS = 60;
/** Views that show a memory at a moment. */
const WITH_MOMENT = ['timeline', 'facts', 'ask', 'document'];
const TABS = ['timeline', 'ask', 'facts', 'document'];

/** The key may come in the fragment, which browsers never send; it is removed from the address immediately. */
function takeKey() {
  const found = /^#key=([^&]+)$/.exec(location.hash);
  if (!found) return;
  setKey(decodeURIComponent(found[1]));
  history.replaceState(null, '', location.pathname + location.search);
  route.set(parse(location));
}

function App() {
  useObservable(language);
  const here = useRoute();
  const vault = useLoad((signal) => (here.vault ? get(vaultPath(here.vault), null, { signal }) : Promise.resolve(null)), [here.vault]);
  const [marks, setMarks] = useState(null);
  const zone = vault.data?.zone ?? 'UTC';
  const moment = readMoment(here.params, zone);
  const ready = !here.vault || vault.data;
  const title = [here.memory ?? here.vault, t(`nav.${here.view === 'home' ? 'memories' : here.view}`), 'Everwhen'].filter(Boolean).join(' · ');
  useEffect(() => { document.title = title; }, [title]);
  useEffect(() => listen(() => ({ route: route.value, zone })), [zone]);
  useEffect(() => setMarks(null), [here.vault, here.memory, here.view]);
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus(); }}>${t('skip')}</a>
    <${Top} route=${here} />
    <${Lost} />
    ${ready && WITH_MOMENT.includes(here.view) && html`<${Moment} route=${here} zone=${zone} moment=${moment} marks=${marks} />`}
    <main id="main" class="view-${here.view}">
      <${KeyBox} />
      ${ready ? here.memory && moment.wrong ? html`<${WrongMoment} wrong=${moment.wrong} />` : html`<${View} name=${here.view} route=${here} zone=${zone} moment=${moment} onMarks=${setMarks} />`
        : vault.error ? html`<${Failure} error=${vault.error} />` : html`<${Loading} />`}
    </main>
    <${Help} /><${DropTarget} />`;
}

function Top({ route: here }) {
  const current = (yes) => (yes ? 'page' : undefined);
  return html`<header class="top no-print">
    <div class="bar">
      <${Link} class="brand" to=${{ view: 'home', vault: undefined, memory: undefined }} data-nav="1"><span class="logo" aria-hidden="true"></span>Everwhen</${Link}>
      <nav class="crumbs" aria-label=${t('nav.where')}>
        ${here.vault && html`<${Link} to=${{ view: 'memories', vault: here.vault, memory: undefined }} data-nav="1" aria-current=${current(here.view === 'memories')}>${here.vault}</${Link}>`}
        ${here.memory && html`<span aria-hidden="true">/</span><${Link} to=${{ view: 'timeline' }} data-nav="1">${here.memory}</${Link}>`}
      </nav>
      <nav class="global" aria-label=${t('nav.server')}>
        <${Link} to=${{ view: 'live', vault: undefined, memory: undefined }} data-nav="1" aria-current=${current(here.view === 'live')}>${t('nav.live')}</${Link}>
        <${Link} to=${{ view: 'settings', vault: undefined, memory: undefined }} data-nav="1" aria-current=${current(here.view === 'settings')}>${t('nav.settings')}</${Link}>
      </nav>
    </div>
    ${here.memory && html`<nav class="tabs" aria-label=${t('nav.views')}>
      ${TABS.map((view) => html`<${Link} key=${view} to=${{ view }} data-nav="1" aria-current=${current(here.view === view || (view === 'timeline' && here.view === 'conversation'))}>${t(`nav.${view}`)}</${Link}>`)}
    </nav>`}
  </header>`;
}

/** The view that the page opens with. */
const first = { name: null, part: null, error: null };

function View({ name, ...rest }) {
  const [view, set] = useState(first);
  // Before the page is painted, so that a view does not wait for a picture without it.
  useLayoutEffect(() => {
    if (view.name === name && view.part) return undefined;
    let wanted = true;
    VIEWS[name]().then(
      (module) => wanted && set({ name, part: module.default, error: null }),
      (error) => {
        if (!wanted) return;
        set({ name, part: null, error });
        // A module that could not be fetched stays unknown to the browser, so the page is loaded again once it can be;
        // everything it shows is in its address.
        lose();
        connection.watch((state) => { if (state === 'ok') location.reload(); });
      },
    );
    return () => { wanted = false; };
  }, [name]);
  if (view.error) return html`<${Failure} error=${view.error} />`;
  if (view.name !== name) return html`<${Loading} />`;
  const { route: here } = rest;
  return html`<${view.part} key=${`${here.vault} ${here.memory} ${here.id}`} ...${rest} />`;
}

function Lost() {
  if (useObservable(connection) === 'ok') return null;
  return html`<div class="banner lost no-print" role="alert">${t('lost')}</div>`;
}

/** Asks for a key once the server wants one. */
function KeyBox() {
  const why = useObservable(keyWanted);
  if (!why) return null;
  const send = (event) => { event.preventDefault(); setKey(String(new FormData(event.target).get('key')).trim()); };
  return html`<form class="key-box" onSubmit=${send} aria-label=${t('key.title')}>
    <h1>${t('key.title')}</h1>
    <p>${key() ? why : t('key.hint')}</p>
    <div class="row"><input name="key" type="password" autocomplete="off" required aria-label=${t('key.label')} placeholder="ew_…" /><button class="primary">${t('key.use')}</button></div>
    <p class="hint">${t('key.where')}</p>
  </form>`;
}

async function start() {
  applyTheme();
  takeKey();
  addEventListener('hashchange', takeKey);
  const { view } = route.value;
  // Where a view does not come, it is asked for again, and says so.
  const [module] = await Promise.all([VIEWS[view]().catch(() => null), loadLanguage()]);
  if (module) Object.assign(first, { name: view, part: module.default });
  await Promise.race([answered, new Promise((resume) => setTimeout(resume, GLANCE_MS))]);
  if (location.pathname === '/ui') go({ view: 'home' }, { replace: true });
  render(html`<${App} />`, document.getElementById('app'));
  performance.mark('everwhen-ready');
}

// Not awaited: views import what stands here, so none of them runs before all of this has run.
start();
