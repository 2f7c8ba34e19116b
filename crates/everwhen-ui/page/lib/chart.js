// Both clocks of a fact on one square: to the right when it holds in the world, upwards when it was known. One rectangle per version.
import { html, useEffect, useState } from './view.js';
import { shortDay } from './time.js';
import { t } from './text.js';

const [HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [260, 84, 34, 10, 10];
/** On a narrow page the chart is drawn narrower instead of smaller, so that its letters stay as large. */
const NARROW = matchMedia('(max-width: 640px)');
const widthNow = () => (NARROW.matches ? 330 : 640);

export function Chart({ history, current, zone, moment, onOpen }) {
  const now = Date.now();
  const width = useWidth();
  const scale = axes(history, moment, now, width);
  const boxes = history.map((fact) => rectangle(fact, scale, now));
  return html`<figure class="chart">
    <svg viewBox="0 0 ${width} ${HEIGHT}" role="group" aria-label=${t('chart.label', { n: history.length })}>
      <line class="axis" x1=${LEFT} y1=${HEIGHT - BOTTOM} x2=${width - RIGHT} y2=${HEIGHT - BOTTOM} />
      <line class="axis" x1=${LEFT} y1=${TOP} x2=${LEFT} y2=${HEIGHT - BOTTOM} />
      ${boxes.map(({ fact, x, y, width, height }) => html`<g key=${fact.id} class="version ${fact.id === current ? 'current' : ''}" role="button" tabindex="0" aria-label=${spoken(fact, zone)}
          onClick=${() => onOpen(fact.id)} onKeyDown=${(event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); onOpen(fact.id); } }}>
        <title>${spoken(fact, zone)}</title>
        <rect x=${x} y=${y} width=${width} height=${height} rx="2" />
        ${width > 30 && height > 14 && html`<text x=${x + 6} y=${y + 14}>${(fact.matter?.value ?? fact.statement).slice(0, Math.floor(width / 7))}</text>`}
      </g>`)}
      ${moment.said !== null && html`<line class="cross said" x1=${scale.x(moment.said)} y1=${TOP} x2=${scale.x(moment.said)} y2=${HEIGHT - BOTTOM} />`}
      ${moment.known !== null && html`<line class="cross known" x1=${LEFT} y1=${scale.y(moment.known)} x2=${width - RIGHT} y2=${scale.y(moment.known)} />`}
      ${ticks(scale.fromX, scale.toX, width < 400 ? [0.18, 0.82] : undefined).map((at) => html`<text class="tick" x=${scale.x(at)} y=${HEIGHT - BOTTOM + 14} text-anchor="middle">${shortDay(at, zone)}</text>`)}
      ${ticks(scale.fromY, scale.toY).map((at) => html`<text class="tick" x=${LEFT - 6} y=${scale.y(at) + 4} text-anchor="end">${shortDay(at, zone)}</text>`)}
      <text class="name" x=${width - RIGHT} y=${HEIGHT - 4} text-anchor="end">${t('chart.holds')} →</text>
      <text class="name" x=${LEFT + 6} y=${TOP + 10}>↑ ${t('chart.known')}</text>
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

const ms = (time) => (time ? Date.parse(time) : null);
const spoken = (fact, zone) => t('chart.version', {
  text: fact.matter?.value ?? fact.statement,
  since: fact.holds.since ? shortDay(fact.holds.since, zone) : '…', until: fact.holds.until ? shortDay(fact.holds.until, zone) : '…',
  known: shortDay(fact.known.since, zone), learned: fact.known.until ? shortDay(fact.known.until, zone) : '…',
});

function axes(history, moment, now, width) {
  const within = (values) => values.filter((value) => value !== null && value !== undefined);
  const xs = within([...history.flatMap((fact) => [ms(fact.holds.since) ?? ms(fact.mentioned_at), ms(fact.holds.until)]), moment.said, now]);
  const ys = within([...history.flatMap((fact) => [ms(fact.known.since), ms(fact.known.until)]), moment.known, now]);
  const [fromX, toX] = padded(xs);
  const [fromY, toY] = padded(ys);
  const x = (time) => LEFT + ((time - fromX) / (toX - fromX)) * (width - LEFT - RIGHT);
  const y = (time) => HEIGHT - BOTTOM - ((time - fromY) / (toY - fromY)) * (HEIGHT - BOTTOM - TOP);
  return { x, y, fromX, toX, fromY, toY };
}

function padded(values) {
  const [from, to] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((to - from) * 0.04, 86_400_000);
  return [from - room, to + room / 4];
}

const ticks = (from, to, parts = [0.1, 0.5, 0.9]) => parts.map((part) => from + (to - from) * part);

function rectangle(fact, scale, now) {
  const x = scale.x(ms(fact.holds.since) ?? scale.fromX);
  const right = scale.x(ms(fact.holds.until) ?? scale.toX);
  const y = scale.y(ms(fact.known.until) ?? now);
  const base = scale.y(ms(fact.known.since));
  return { fact, x, y, width: Math.max(3, right - x), height: Math.max(3, base - y) };
}
