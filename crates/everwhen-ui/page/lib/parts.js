// Small pieces that every view uses.
import { html, useEffect, useLayoutEffect, useRef, useState } from './view.js';
import { t } from './text.js';
import { iso, told } from './time.js';

/** Characters that change the direction or the end of a line without being seen, and other controls. */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
const PIECES = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff])/;
/** A longer text is cut here until the user asks for all of it. */
const LONG = 4000;
/** A click shows this many times as much: a browser takes a moment to lay out a megabyte without a space. */
const MORE = 25;

/** What was said, as text and never as anything else. Addresses become links, hidden characters become visible. */
export function Said({ text, mark }) {
  const [most, setMost] = useState(LONG);
  const shown = text.length <= most ? text : text.slice(0, most);
  const next = most * MORE;
  return html`<span class="said" dir="auto">${mark ? mark(shown) : pieces(shown)}</span>
    ${shown !== text && html`<button type="button" class="link more" onClick=${() => setMost(next)}>${next < text.length ? t('entry.part', { part: next, n: text.length }) : t('entry.whole', { n: text.length })}</button>`}`;
}

export function pieces(text) {
  const parts = text.split(PIECES);
  if (parts.length === 1) return text;
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    if (HIDDEN.test(part)) return html`<span class="hidden-character" title=${t('entry.hidden')}>U+${part.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}</span>`;
    return html`<a href=${part} target="_blank" rel="noreferrer noopener">${part}</a>`;
  });
}

/** Texts of fewer characters and lines are shown whole and not measured. */
const [SHORT, FEW] = [240, 8];

/** What was said, of a long text the first lines until it is opened. */
export const Clamped = ({ text }) => (text.length < SHORT && text.split('\n', FEW).length < FEW
  ? html`<div><${Said} text=${text} /></div>` : html`<${Folded} key=${text} text=${text} />`);

function Folded({ text }) {
  const box = useRef(null);
  const [state, set] = useState('short');
  useLayoutEffect(() => {
    if (state === 'short' && box.current && box.current.scrollHeight > box.current.clientHeight + 4) set('cut');
  }, []);
  return html`<div ref=${box} class=${state === 'open' ? '' : 'clamped'}><${Said} text=${text} /></div>
    ${state === 'cut' && html`<button type="button" class="link more" onClick=${(event) => { event.stopPropagation(); set('open'); }}>${t('entry.more')}</button>`}`;
}

export const Time = ({ at, zone, as = told, class: kind }) =>
  html`<time class=${kind} datetime=${iso(at)} title=${told(at, zone)}>${as(at, zone)}</time>`;

export const Empty = ({ title, children }) => html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;

/** Shown only if it takes longer than a glance. */
export function Loading() {
  const [late, set] = useState(false);
  useEffect(() => { const timer = setTimeout(() => set(true), 300); return () => clearTimeout(timer); }, []);
  return html`<p class="loading" role="status">${late ? t('loading') : ''}</p>`;
}

export const Failure = ({ error }) => html`<div class="failure" role="alert"><p>${error.status ? error.message : t('failure.unreachable')}</p></div>`;

/** What `useLoad` gave: loading, a failure, or the content. */
export function Loaded({ of, children }) {
  if (of.data) return children(of.data);
  return of.error ? html`<${Failure} error=${of.error} />` : html`<${Loading} />`;
}

/** The heading of a view; it takes the focus when the view opens, so that keyboards and readers start there. */
export function Title({ children, ...rest }) {
  const heading = useRef(null);
  useEffect(() => { const active = /** @type {HTMLElement | null} */ (document.activeElement); if (active === document.body || active?.dataset.nav) heading.current?.focus({ preventScroll: true }); }, []);
  return html`<h1 ref=${heading} tabindex="-1" ...${rest}>${children}</h1>`;
}

/** Copies a text and says so. */
export function Copy({ text, label }) {
  const [done, set] = useState(false);
  const copy = async () => {
    try { await navigator.clipboard.writeText(text); set(true); setTimeout(() => set(false), 1500); } catch { /* the text can still be selected */ }
  };
  return html`<button type="button" class="quiet copy" onClick=${copy}>${done ? t('copied') : label ?? t('copy')}</button>`;
}

/** A box over the page. `Escape` closes it. */
export function Dialog({ title, onClose, children, wide }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    box.current.showModal();
    // Not the button that closes it, which would be the first.
    (box.current.querySelector('[autofocus], main, input, textarea, select') ?? box.current.querySelector('h2')).focus();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${box} class=${wide ? 'wide' : ''} aria-labelledby="dialog-title" onCancel=${(event) => { event.preventDefault(); onClose(); }}>
    <header><h2 id="dialog-title" tabindex="-1">${title}</h2><button type="button" class="quiet" aria-label=${t('close')} onClick=${onClose}>✕</button></header>
    ${children}
  </dialog>`;
}

/** A box of lib/acts.js by its name. What only changes things is loaded once something is to be changed. */
export function Act({ name, ...rest }) {
  const [acts, set] = useState({ all: null, error: null });
  useEffect(() => { import('./acts.js').then((all) => set({ all, error: null }), (error) => set({ all: null, error })); }, []);
  if (acts.error) return html`<${Dialog} title=${t('failure.unreachable')} onClose=${rest.onClose} />`;
  return acts.all && html`<${acts.all[name]} ...${rest} />`;
}

/** The buttons of a dialog, and what went wrong. */
export function Buttons({ error, busy, label, danger, disabled, onClose }) {
  return html`${error && html`<p class="failure" role="alert">${error.message}</p>`}
    <footer>
      <button type="button" class="quiet" onClick=${onClose}>${t('cancel')}</button>
      <button type="submit" class=${danger ? 'danger' : 'primary'} disabled=${busy || disabled}>${label}</button>
    </footer>`;
}

/** Runs a write once at a time and keeps its error. */
export function useAct(onDone) {
  const [state, set] = useState({ busy: false, error: null });
  const run = async (work) => {
    set({ busy: true, error: null });
    try { const result = await work(); set({ busy: false, error: null }); onDone?.(result); }
    catch (error) { set({ busy: false, error }); }
  };
  return { ...state, run };
}
