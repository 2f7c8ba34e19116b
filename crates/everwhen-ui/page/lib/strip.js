// How much there is over time, as a strip of bars. It is a picture: the numbers stand beside it for those who cannot see it.
import { html, useEffect, useLayoutEffect, useRef } from './view.js';

const NONE = [];

/** Bars for `counts`; those behind the fraction `until` are faint, and lines stand at `lines`. `label` says in words what is to be seen. */
export function Strip({ counts, until = 1, tone = 'accent', label, marks = NONE, lines = NONE }) {
  const canvas = useRef(null);
  const latest = useRef(null);
  latest.current = () => draw(canvas.current, counts ?? NONE, until, marks, lines);
  useLayoutEffect(() => latest.current(), [counts, until, tone, marks, lines]);
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => latest.current();
    observer.observe(canvas.current);
    scheme.addEventListener('change', redraw);
    addEventListener('everwhen-theme', redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      removeEventListener('everwhen-theme', redraw);
    };
  }, []);
  return html`<canvas ref=${canvas} class="strip tone-${tone}" role="img" aria-label=${label}></canvas>`;
}

function draw(canvas, counts, until, marks, lines) {
  if (!canvas) return;
  const scale = devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * scale);
  const height = Math.round(canvas.clientHeight * scale);
  if (!width || !height) return;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext('2d');
  const base = height - scale;
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = getComputedStyle(canvas).color;
  pen.globalAlpha = 0.3;
  pen.fillRect(0, base, width, scale);
  pen.globalAlpha = 0.13;
  for (const at of lines) pen.fillRect(Math.round(at * width), 0, scale, height);
  pen.globalAlpha = 0.18;
  for (const [from, to] of marks) pen.fillRect(from * width, 0, Math.max(2 * scale, (to - from) * width), height);
  const most = Math.log1p(counts.reduce((most_, one) => Math.max(most_, one), 0));
  if (!most) return;
  const step = width / counts.length;
  const bar = Math.max(scale, step - (step > 3 * scale ? scale : 0));
  for (let index = 0; index < counts.length; index += 1) {
    if (!counts[index]) continue;
    pen.globalAlpha = (index + 0.5) / counts.length <= until ? 1 : 0.25;
    const tall = Math.max(2 * scale, (Math.log1p(counts[index]) / most) * (base - 2 * scale));
    pen.fillRect(index * step, base - tall, bar, tall);
  }
  pen.globalAlpha = 1;
}
