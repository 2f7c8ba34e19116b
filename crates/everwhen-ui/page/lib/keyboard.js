// The keyboard: one table of keys, shown by `?`.
import { html, observable, useObservable } from './view.js';
import { go } from './router.js';
import { backToNow, shift } from './moment.js';
import { Dialog } from './parts.js';
import { t } from './text.js';

const helpShown = observable(false);
/** What follows `g`, and the view it leads to. */
const PLACES = { m: 'memories', t: 'timeline', a: 'ask', f: 'facts', d: 'document', l: 'live', s: 'settings' };
/** @type {number | null} */
let prefix = null;

const keys = {
  '/': ({ route }) => route.memory && openAsk(),
  j: () => step(1),
  k: () => step(-1),
  '[': () => press('[data-previous]'),
  ']': () => press('[data-next]'),
  ',': ({ route, zone }) => route.memory && shift(zone, { days: -1 }),
  '.': ({ route, zone }) => route.memory && shift(zone, { days: 1 }),
  '<': ({ route, zone }) => route.memory && shift(zone, { months: -1 }),
  '>': ({ route, zone }) => route.memory && shift(zone, { months: 1 }),
  n: backToNow,
  '?': () => helpShown.set(true),
};

function openAsk() {
  go({ view: 'ask' });
  setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector('.ask-box input'))?.focus(), 60);
}

function place(letter, { route }) {
  const view = PLACES[letter];
  if (!view) return;
  if (view === 'live' || view === 'settings') go({ view, vault: undefined, memory: undefined });
  else if (view === 'memories') go({ view: route.vault ? 'memories' : 'home', vault: route.vault, memory: undefined });
  else if (route.memory) go({ view });
}

/** Moves the focus to the next or previous row of the view. */
function step(by) {
  /** @type {(HTMLElement | null | undefined)[]} */
  const rows = [...document.querySelectorAll(/** @type {'li'} */ ('main [data-row]'))];
  if (!rows.length) return;
  const at = rows.indexOf(/** @type {HTMLElement | null | undefined} */ (document.activeElement?.closest?.('[data-row]')));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function press(selector) {
  const found = document.querySelector(selector);
  if (found) found.click();
}

/** Listens until the returned function is called. */
export function listen(context) {
  const handle = (event) => {
    const typing = event.target.closest?.('input:not([type=range]), textarea, select, dialog');
    if (event.ctrlKey || event.metaKey || event.altKey || typing || event.defaultPrevented) return;
    if (prefix) {
      clearTimeout(prefix);
      prefix = null;
      event.preventDefault();
      place(event.key, context());
      return;
    }
    if (event.key === 'g') { prefix = setTimeout(() => { prefix = null; }, 1500); return; }
    if (event.key === 'Escape') { backToNow(); return; }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act(context());
  };
  addEventListener('keydown', handle);
  return () => removeEventListener('keydown', handle);
}

const ROWS = [['/', 'ask'], ['j  k', 'rows'], ['Enter', 'open'], ['[  ]', 'conversations'], [',  .', 'day'], ['<  >', 'month'], ['n  Esc', 'now'],
  ['g m', 'memories'], ['g t', 'timeline'], ['g a', 'goask'], ['g f', 'facts'], ['g d', 'document'], ['g l', 'live'], ['g s', 'settings'], ['?', 'help']];

export function Help() {
  if (!useObservable(helpShown)) return null;
  return html`<${Dialog} title=${t('help.title')} onClose=${() => helpShown.set(false)}>
    <table class="keys"><tbody>${ROWS.map(([typed, name]) => html`<tr><th scope="row">${typed.split(' ').filter(Boolean).map((one) => html`<kbd>${one}</kbd> `)}</th><td>${t(`help.${name}`)}</td></tr>`)}</tbody></table>
  </${Dialog}>`;
}
