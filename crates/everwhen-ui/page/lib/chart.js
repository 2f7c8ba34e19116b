// Both clocks of a fact on one square: to the right when it holds in the world, upwards when it was known. One area per version.
import { html, useEffect, useState } from './view.js';
import { month, shortDay } from './time.js';
import { t } from './text.js';

const [HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [300, 88, 42, 26, 12];
/** Labels of an axis stand at least so far apart. */
const [APART_X, APART_Y] = [62, 18];
/** What a letter takes of a label, about. */
const LETTER = 7;
/** Fewer letters of a text say nothing. */
const LEAST = 5;
/** Over a longer time months tell enough. */
const MONTHS_MS = 120 * 86_400_000;
/** On a narrow page the chart is drawn narrower instead of smaller, so that its letters stay as large. */
const NARROW = matchMedia('(max-width: 640px)');
const widthNow = () => (NARROW.matches ? 330 : 640);

const ms = (time) => (time ? Date.parse(time) : null);

/**
 * What a version says about the world, as parts of the square. Until it was replaced it was taken to go on; since then its end is known,
 * and it still holds for the time before. What was withdrawn says nothing any more, and what happened ended when it ended.
 * @param {import('../../types/api.js').Fact} fact
 * @param {number} now
 */
export function parts(fact, now) {
  const [from, to, since, until] = [ms(fact.holds.since), ms(fact.holds.until), ms(fact.known.since) ?? now, ms(fact.known.until)];
  if (until === null) return [{ from, to, since, until: now }];
  const hasOwnEnd = !fact.matter && Boolean(fact.event?.until);
  const believed = until > since ? [{ from, to: hasOwnEnd ? to : null, since, until }] : [];
  return fact.superseded_by ? [...believed, { from, to, since: until, until: now }] : believed;
}

export function Chart({ history, current, zone, moment, onOpen }) {
  const now = Date.now();
  const width = useWidth();
  const scale = axes(history, moment, now, width);
  const areas = history.map((fact) => ({ fact, pieces: parts(fact, now).map((piece) => placed(piece, scale)) })).filter(({ pieces }) => pieces.length);
  const name = (at, from, to) => (at === now ? t('moment.now') : to - from > MONTHS_MS ? month(at, zone) : shortDay(at, zone));
  const ticks = { x: apart(scale.x, history.map((fact) => ms(fact.holds.since)), now, APART_X), y: apart(scale.y, history.map((fact) => ms(fact.known.since)), now, APART_Y) };
  const [hereX, hereY] = [scale.x(moment.said ?? now), scale.y(moment.known ?? now)];
  return html`<figure class="chart">
    <svg viewBox="0 0 ${width} ${HEIGHT}" role="group" aria-label=${t('chart.label', { n: history.length })}>
      ${areas.map(({ fact, pieces }) => html`<g key=${fact.id} class="version ${fact.id === current ? 'current' : ''}" role="button" tabindex="0" aria-label=${spoken(fact, zone)}
          onClick=${() => onOpen(fact.id)} onKeyDown=${(event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); onOpen(fact.id); } }}>
        <title>${spoken(fact, zone)}</title>
        <path d=${outline(pieces)} />
        ${label(fact, pieces)}
      </g>`)}
      ${ticks.x.map((at) => html`<line class="guide" x1=${scale.x(at)} y1=${TOP} x2=${scale.x(at)} y2=${HEIGHT - BOTTOM + 4} /><text class="tick" x=${scale.x(at)} y=${HEIGHT - BOTTOM + 16} text-anchor="middle">${name(at, scale.fromX, scale.toX)}</text>`)}
      ${ticks.y.map((at) => html`<line class="guide" x1=${LEFT - 4} y1=${scale.y(at)} x2=${width - RIGHT} y2=${scale.y(at)} /><text class="tick" x=${LEFT - 8} y=${scale.y(at) + 4} text-anchor="end">${name(at, scale.fromY, scale.toY)}</text>`)}
      <path class="axis" d="M${LEFT} ${TOP} V${HEIGHT - BOTTOM} H${width - RIGHT}" />
      ${moment.said !== null && html`<line class="cross said" x1=${hereX} y1=${TOP} x2=${hereX} y2=${HEIGHT - BOTTOM} />`}
      ${moment.known !== null && html`<line class="cross known" x1=${LEFT} y1=${hereY} x2=${width - RIGHT} y2=${hereY} />`}
      <circle class="here" cx=${hereX} cy=${hereY} r="5"><title>${t('chart.here')}</title></circle>
      <text class="name" x=${width - RIGHT} y=${HEIGHT - 6} text-anchor="end">${t('chart.holds')} →</text>
      <text class="name" x="0" y="12">↑ ${t('chart.known')}</text>
    </svg>
    <figcaption class="muted">${t('chart.caption')}</figcaption>
  </figure>`;
}

/** The width to draw in, as the page is now. */
function useWidth() {
  const [width, set] = useState(widthNow());
  useEffect(() => {
    const change = () => set(widthNow());
    NARROW.addEventListener('change', change);
    return () => NARROW.removeEventListener('change', change);
  }, []);
  return width;
}

const spoken = (fact, zone) => t('chart.version', {
  text: fact.matter?.value ?? fact.statement,
  since: fact.holds.since ? shortDay(fact.holds.since, zone) : '…', until: fact.holds.until ? shortDay(fact.holds.until, zone) : '…',
  known: shortDay(fact.known.since, zone), learned: fact.known.until ? shortDay(fact.known.until, zone) : '…',
});

function axes(history, moment, now, width) {
  const within = (values) => values.filter((value) => value !== null && value !== undefined);
  const xs = within([...history.flatMap((fact) => [ms(fact.holds.since) ?? ms(fact.mentioned_at), ms(fact.holds.until)]), moment.said, now]);
  const ys = within([...history.map((fact) => ms(fact.known.since)), moment.known, now]);
  const [fromX, toX] = padded(xs, 0.06);
  const [fromY, toY] = padded(ys, 0);
  const x = (time) => LEFT + ((time - fromX) / (toX - fromX)) * (width - LEFT - RIGHT);
  const y = (time) => HEIGHT - BOTTOM - ((time - fromY) / (toY - fromY)) * (HEIGHT - BOTTOM - TOP);
  return { x, y, fromX, toX, fromY, toY };
}

/** From the first to the last, with room before, and room behind for what goes on. */
function padded(values, behind) {
  const [from, to] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(to - from, 86_400_000);
  return [from - span * 0.04, to + span * behind];
}

/** Those of the times, and now, whose labels do not touch. */
function apart(scale, times, now, least) {
  const kept = [now];
  for (const at of [...new Set(times)].filter((one) => one !== null).sort((a, b) => a - b)) {
    if (kept.every((other) => Math.abs(scale(at) - scale(other)) >= least)) kept.push(at);
  }
  return kept;
}

const placed = ({ from, to, since, until }, scale) => ({ left: scale.x(from ?? scale.fromX), right: scale.x(to ?? scale.toX), top: scale.y(until), bottom: scale.y(since) });

/** The pieces of a version stand on each other at their left, so one line goes around them. Nothing is too thin to be hit. */
function outline(pieces) {
  const [low, high] = [pieces[0], pieces.at(-1)];
  const right = (piece) => Math.max(piece.right, piece.left + 3).toFixed(1);
  const bottom = Math.max(low.bottom, high.top + 3).toFixed(1);
  return `M${low.left.toFixed(1)} ${bottom} H${right(low)} V${low.top.toFixed(1)} H${right(high)} V${high.top.toFixed(1)} H${low.left.toFixed(1)} Z`;
}

/** Its value, where there is room for some of it: in the newest piece, else in the one below. */
function label(fact, pieces) {
  const room = [...pieces].reverse().find((piece) => piece.right - piece.left > 4 * LETTER && piece.bottom - piece.top > 16);
  if (!room) return null;
  const text = fact.matter?.value ?? fact.statement;
  const most = Math.floor((room.right - room.left - 10) / LETTER);
  if (text.length > most && most < LEAST) return null;
  return html`<text x=${room.left + 6} y=${room.top + 16}>${text.length > most ? `${text.slice(0, most - 1)}…` : text}</text>`;
}
