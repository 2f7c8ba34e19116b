// Everything that can be seen has an address; this file knows what they look like.
import { html, observable, useObservable } from './view.js';

const BASE = '/ui/';
/** Views of one memory, by what stands behind its name in the address. */
const OF_MEMORY = ['timeline', 'ask', 'facts', 'document'];
/** What stays in the address when the view of a memory changes. */
const MOMENT = ['said', 'known'];

/** Reads an address. */
export function parse(url) {
  const parts = url.pathname.slice(BASE.length).split('/').filter(Boolean).map(decode);
  const params = Object.fromEntries(new URLSearchParams(url.search));
  const hash = url.hash.slice(1);
  const [vault, memory, view, id] = parts;
  if (vault === '-') return { view: memory === 'live' ? 'live' : 'settings', params, hash };
  if (!vault) return { view: 'home', params, hash };
  if (!memory) return { view: 'memories', vault, params, hash };
  if (view === 'c' && id) return { view: 'conversation', vault, memory, id, params, hash };
  return { view: OF_MEMORY.includes(view) ? view : 'timeline', vault, memory, params, hash };
}

/** Writes an address. */
export function format({ view, vault, memory, id, params, hash }) {
  const part = encodeURIComponent;
  let path = BASE;
  if (view === 'live' || view === 'settings') path += `-/${view}`;
  else if (vault) path += part(vault);
  if (memory && vault && view !== 'memories') {
    path += `/${part(memory)}`;
    if (view === 'conversation') path += `/c/${part(id)}`;
    else if (view !== 'timeline') path += `/${view}`;
  }
  const pairs = Object.entries(params ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = pairs.length ? `?${new URLSearchParams(pairs)}` : '';
  return path + query + (hash ? `#${hash}` : '');
}

function decode(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

/** Where the page is. */
export const route = observable(parse(location));
export const useRoute = () => useObservable(route);

/** The route that `change` leads to from here. Within one memory the moment stays. */
export function toward(change) {
  const here = route.value;
  const memory = 'memory' in change ? change.memory : ('vault' in change ? undefined : here.memory);
  const stays = memory !== undefined && memory === here.memory;
  const kept = stays ? Object.fromEntries(MOMENT.filter((name) => here.params[name]).map((name) => [name, here.params[name]])) : {};
  return { view: here.view, vault: here.vault, memory, ...change, params: { ...kept, ...change.params }, hash: change.hash };
}

/** Goes somewhere. */
export function go(change, { replace = false } = {}) {
  const address = format(toward(change));
  if (address === location.pathname + location.search + location.hash) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  route.set(parse(location));
}

/** Changes parameters of the address and nothing else. */
export function setParams(change, options = { replace: true }) {
  const here = route.value;
  const address = format({ ...here, params: { ...here.params, ...change } });
  history[options.replace ? 'replaceState' : 'pushState'](null, '', address);
  route.set(parse(location));
}

addEventListener('popstate', () => route.set(parse(location)));
addEventListener('hashchange', () => route.set(parse(location)));

/** A link within the page; with a modifier key or another button the browser does what it always does. */
export function Link({ to, children, ...rest }) {
  const follow = (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return html`<a href=${format(toward(to))} onClick=${follow} ...${rest}>${children}</a>`;
}
