// How much there is over time, as a strip of bars. It is a picture: the numbers stand beside it for those who cannot see it.
import { html, useEffect, useLayoutEffect, useRef } from './view.js';

const NONE = [];

/** Bars for `counts`; those behind the fraction `until` are faint, and lines stand at `lines`. `label` says in words what is to be seen. */
export function Strip({ counts, until = 1, tone = 'accent', label, marks = NONE, lines = NONE }) {
  const canvas = useRef(null);
  const latest = useRef(null);
  /** Measured once and not in each frame of a drag: to ask a browser for it makes it lay out the page. */
  const look = useRef(null);
  latest.current = () => look.current && draw(canvas.current, look.current, counts ?? NONE, until, marks, lines);
  useLayoutEffect(() => latest.current(), [counts, until, marks, lines]);
  useEffect(() => {
    const redraw = () => {
      if (!canvas.current) return;
      look.current = measured(canvas.current);
      latest.current();
    };
    // It also tells the first size.
    const observer = new ResizeObserver(redraw);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
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

/** Sets the size of the picture by the box it is in. */
function measured(canvas) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  return { scale, width, height, color: getComputedStyle(canvas).color };
}

function draw(canvas, { scale, width, height, color }, counts, until, marks, lines) {
  if (!width || !height) return;
  const pen = canvas.getContext('2d');
  const base = height - scale;
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = color;
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
