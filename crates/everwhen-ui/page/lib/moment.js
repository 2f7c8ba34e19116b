// The moment control: two clocks, one for when things were said and one for when they became known. Both live in the address.
import { get, memoryPath, useLoad, vaultPath } from './api.js';
import { html, observable, useEffect, useMemo, useRef, useState } from './view.js';
import { route, setParams } from './router.js';
import { DAY_MS, dayOf, iso, told, month, read, shortDay, span, stepped, write } from './time.js';
import { Title } from './parts.js';
import { Strip } from './strip.js';
import { count, language, t } from './text.js';

const STEPS = 1000;
const BUCKETS = 400;
/** While a slider is dragged, the server is asked at most this often. */
const EVERY_MS = 120;
/** So many months lie between two labels of a strip, and at most so many labels are on it. */
const STEP_MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240];
const MOST_TICKS = 8;

/** Whether a clock is being dragged; it ends a moment after the last move. */
export const dragging = observable(false);
let resting = 0;
function moved() {
  dragging.set(true);
  clearTimeout(resting);
  resting = setTimeout(() => dragging.set(false), 2 * EVERY_MS);
}

/**
 * Reads both clocks from the address. `past` means that the memory is shown as it stood, so nothing can be changed. That is so as well
 * while one of them cannot be read: `wrong` says why, and no other moment is shown for it.
 */
export function readMoment(params, zone) {
  const [said, known] = [clockAt(params.said, zone), clockAt(params.known, zone)];
  return {
    said: said.at, known: known.at, past: known.at !== null || Boolean(said.wrong || known.wrong),
    saidTold: said.at === null ? '' : named(params.said, said.at, zone), knownTold: known.at === null ? '' : named(params.known, known.at, zone),
    before: said.at === null ? undefined : iso(said.at),
    asOf: known.at === null ? undefined : iso(known.at),
    wrong: said.wrong || known.wrong ? { said: said.wrong, known: known.wrong } : null,
  };
}

/** Where a clock stands: at null without a text, which means now. */
function clockAt(text, zone) {
  if (!text?.trim()) return { at: null, wrong: '' };
  try { return { at: span(text, zone).until, wrong: '' }; } catch (error) { return { at: null, wrong: error.message }; }
}

/** A moment as it was typed: a day is told as that day, though it ends with the next one's first instant. */
const named = (typed, time, zone) => (/[T ]/.test(typed.trim()) ? told(time, zone) : shortDay(time - 1, zone));

/** Moves the clock for what was said by calendar days or months; without a moment it starts from now, and one that cannot be read stays. */
export function shift(zone, by) {
  const { said } = route.value.params;
  if (clockAt(said, zone).wrong) return;
  const to = stepped(said?.trim() || write(Date.now(), zone), zone, by);
  const time = read(to, zone);
  if (time !== null) setParams({ said: time >= Date.now() ? undefined : to });
}

export const backToNow = () => setParams({ said: undefined, known: undefined });

/** Both rows, with the strip of entries behind each. */
export function Moment({ route: here, zone, moment, marks }) {
  const path = memoryPath(here);
  const all = useLoad((signal) => get(`${path}/density`, { by: 'conversation_time', buckets: BUCKETS }, { signal }), [path]);
  // Counted over the same time as now, so that the strip does not stretch under the hand that moves the other clock.
  const whole = all.data?.first && all.data.last ? { after: all.data.first, before: iso(Date.parse(all.data.last) + 1) } : null;
  const then = useLoad((signal) => (moment.asOf && whole ? get(`${path}/density`, { by: 'conversation_time', buckets: BUCKETS, as_of: moment.asOf, ...whole }, { signal }) : Promise.resolve(null)), [path, moment.asOf, whole?.after, whole?.before]);
  const said = useMemo(() => (moment.asOf && then.data && all.data ? { ...all.data, counts: then.data.counts } : all.data), [moment.asOf, then.data, all.data]);
  const known = useLoad((signal) => get(`${path}/density`, { by: 'creation_time', buckets: BUCKETS }, { signal }), [path]);
  return html`<section class="moment no-print" aria-label=${t('moment.label')}>
    <${Clock} name="said" zone=${zone} at=${moment.said} wrong=${moment.wrong?.said} density=${said} marks=${marks} />
    <${Clock} name="known" zone=${zone} at=${moment.known} wrong=${moment.wrong?.known} density=${known.data} />
  </section>
  <${Banner} moment=${moment} total=${moment.asOf && moment.said === null ? then.data?.counts.reduce((sum, one) => sum + one, 0) : undefined} />`;
}

function Clock({ name, zone, at, wrong, density, marks }) {
  const [drag, setDrag] = useState(null);
  const sending = useRef({ timer: 0, last: 0 });
  // Without entries both are 0, and so is the span.
  const first = density?.first ? Date.parse(density.first) : 0;
  const last = density?.last ? Date.parse(density.last) : 0;
  const span = last - first;
  const shown = drag ?? at;
  const fraction = shown === null || span <= 0 ? 1 : Math.min(1, Math.max(0, (shown - first) / span));
  const ratio = (time) => Math.min(1, Math.max(0, (time - first) / (span || 1)));

  const send = (time) => {
    const state = sending.current;
    clearTimeout(state.timer);
    const apply = () => {
      state.last = performance.now();
      setParams({ [name]: time === null ? undefined : write(time, zone) });
    };
    const wait = EVERY_MS - (performance.now() - state.last);
    if (wait <= 0) apply();
    else state.timer = setTimeout(apply, wait);
  };
  const slide = (event) => {
    const step = Number(event.target.value);
    const time = step >= STEPS ? null : first + (span * step) / STEPS;
    moved();
    setDrag(time ?? last);
    send(time);
  };
  useEffect(() => setDrag(null), [at]);
  useEffect(() => () => clearTimeout(sending.current.timer), []);

  const ticks = useMemo(() => inner(first, last, zone), [first, last, zone, language.value]);
  const lines = useMemo(() => ticks.map(({ part }) => part), [ticks]);
  // What a drag does not change is made once, not in each of its frames.
  const words = useMemo(() => summary(name, density, zone), [name, density, zone, language.value]);
  const ends = useMemo(() => span > 0 && html`<${Ends} first=${first} last=${last} zone=${zone} ticks=${ticks} />`, [ticks]);
  const years = useMemo(() => html`<${Years} name=${name} density=${density} zone=${zone} />`, [name, density, zone, language.value]);
  const bands = useMemo(() => (marks ?? []).map(([from, to]) => [ratio(from ?? first), ratio(to ?? last)]), [marks, first, last]);
  const label = t(`moment.${name}`);
  const spoken = shown === null ? t('moment.now') : told(shown, zone);
  return html`<div class="clock ${name} ${at === null ? '' : 'moved'}">
    <span class="clock-name" title=${t(`moment.${name}.long`)}>${label} <small>${t(`moment.${name}.short`)}</small></span>
    <div class="clock-strip">
      <${Strip} counts=${density?.counts} until=${fraction} tone=${name} label=${words} lines=${lines} marks=${bands} />
      <input type="range" min="0" max=${STEPS} value=${Math.round(fraction * STEPS)} disabled=${span <= 0}
        aria-label=${t(`moment.${name}.long`)} aria-valuetext=${spoken} onInput=${slide} />
      ${ends}
    </div>
    ${years}
    <${Typed} name=${name} zone=${zone} refused=${drag === null && Boolean(wrong)} written=${drag === null ? route.value.params[name] : write(drag, zone)} />
  </div>`;
}

/** The first and the last day under a strip, and what lies between. */
const Ends = ({ first, last, zone, ticks }) => html`<span class="ends" aria-hidden="true"><span>${shortDay(first, zone)}</span>${ticks.filter(({ part }) => part > 0.1 && part < 0.9).map(({ part, text }, index) => html`<span key=${text} class="inner ${index % 2 || Math.abs(part - 0.5) > 0.22 ? 'minor' : ''}" style=${{ insetInlineStart: `${part * 100}%` }}>${text}</span>`)}<span>${shortDay(last, zone)}</span></span>`;

/** Beginnings of months or years between two times, a few of them, each with the part of the way it stands at. */
function inner(first, last, zone) {
  if (last <= first) return [];
  const [year, month_] = dayOf(first, zone).split('-').map(Number);
  const months = Math.ceil((last - first) / (30 * DAY_MS));
  const step = STEP_MONTHS.find((one) => months / one <= MOST_TICKS) ?? months;
  const begun = year * 12 + month_ - 1;
  const ticks = [];
  for (let at = Math.ceil((begun + 1) / step) * step; ; at += step) {
    // A month is read as its end, which is the beginning of the next.
    const time = read(`${String(Math.floor((at - 1) / 12)).padStart(4, '0')}-${String(((at - 1) % 12) + 1).padStart(2, '0')}`, zone);
    if (time === null || time >= last) return ticks;
    ticks.push({ part: (time - first) / (last - first), text: step % 12 ? month(time, zone) : dayOf(time, zone).slice(0, 4) });
  }
}

/** The same numbers in words, for those who cannot see the strip. */
function summary(name, density, zone) {
  if (!density?.first) return t('density.none');
  const total = density.counts.reduce((sum, one) => sum + one, 0);
  return t(`density.${name}`, { total, from: shortDay(density.first, zone), to: shortDay(density.last, zone), most: count(Math.max(...density.counts)) });
}

function byYear(density, zone) {
  if (!density?.first) return null;
  const [first, last] = [Date.parse(density.first), Date.parse(density.last)];
  const years = new Map();
  density.counts.forEach((n, index) => {
    if (!n) return;
    const year = dayOf(first + ((last - first) * (index + 0.5)) / density.counts.length, zone).slice(0, 4);
    years.set(year, (years.get(year) ?? 0) + n);
  });
  return years;
}

/** The strip in numbers, year by year, for those who cannot see it. */
function Years({ name, density, zone }) {
  const years = byYear(density, zone);
  if (!years) return null;
  return html`<table class="visually-hidden"><caption>${t(`moment.${name}.long`)}</caption><tbody>${[...years].map(([year, n]) => html`<tr key=${year}><th scope="row">${year}</th><td>${t('entries', { n })}</td></tr>`)}</tbody></table>`;
}

/** What is typed as it stands in the address, where words would mean another day tomorrow. The server reads words; undefined means now. */
async function addressed(text, zone) {
  if (!text) return undefined;
  try { span(text, zone); return text.replace(' ', 'T'); } catch (error) { if (error.figures) throw error; }
  const { since, until } = await get(`${vaultPath(route.value.vault)}/period`, { text });
  const end = Date.parse(until ?? since ?? '');
  if (!(end < Date.now())) return undefined;
  const day = dayOf(end - 1, zone);
  return read(day, zone) === end ? day : write(end, zone);
}

function Typed({ name, zone, refused, written }) {
  const [typed, setTyped] = useState(null);
  const [wrong, setWrong] = useState(null);
  const value = typed ?? (written ?? '').replace('T', ' ');
  const take = async (event) => {
    event.preventDefault();
    if (typed === null) return;
    try {
      setParams({ [name]: await addressed(typed.trim(), zone) });
      setTyped(null);
      setWrong(null);
    } catch (error) { setWrong(error.figures ? error.message : t('moment.words.hint')); }
  };
  return html`<form class="typed" onSubmit=${take}>
    <input type="text" size="16" spellcheck=${false} autocomplete="off" placeholder=${t('moment.now')} value=${value}
      aria-label=${t(`moment.${name}.type`)} aria-invalid=${Boolean(wrong) || (typed === null && refused)} title=${t('moment.words.hint')}
      onInput=${(event) => setTyped(event.target.value)} onBlur=${take} />
    ${wrong && html`<span class="hint" role="alert">${wrong}</span>`}
  </form>`;
}

/**
 * Says which moment is shown, how much there was, and that the past cannot be changed.
 * @param {{ moment: ReturnType<typeof readMoment>, total?: number }} props
 */
export function Banner({ moment, total }) {
  if (moment.wrong || (moment.said === null && moment.known === null)) return null;
  const text = moment.past
    ? t(moment.said === null ? 'banner.known' : 'banner.both', { known: moment.knownTold, said: moment.saidTold })
    : t('banner.said', { said: moment.saidTold });
  return html`<div class="banner ${moment.past ? 'past' : ''} no-print" role="status">
    <span>${text} ${total !== undefined && `${t('entries', { n: total })}. `}${moment.past && html`<strong>${t('banner.locked')}</strong>`}</span>
    <button type="button" class="quiet" onClick=${backToNow}>${t('banner.back')} <kbd>n</kbd></button>
  </div>`;
}

/** Stands in the place of a view while the address has a moment that cannot be read. */
export const WrongMoment = ({ wrong }) => html`<${Title} class="visually-hidden">${t('moment.wrong')}</${Title}>
  <div class="failure" role="alert">${[wrong.said, wrong.known].filter(Boolean).map((why) => html`<p>${why}</p>`)}<p>${t('moment.wrong.hint')}</p>
    <button type="button" class="quiet" onClick=${backToNow}>${t('banner.back')} <kbd>n</kbd></button></div>`;
