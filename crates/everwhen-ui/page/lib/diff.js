// What changed between two texts: lines that came and went, and within a line that only changed, its words.

const LARGEST = 4_000_000;

/** A line that keeps this share of its words was changed; otherwise one went and another came. */
const ALIKE = 0.5;

/** Parts of both texts in order: `['same' | 'gone' | 'new', text]`. */
export function changes(before, after) {
  const parts = [];
  /** @type {[string[], string[]]} */
  let [gone, fresh] = [[], []];
  const flush = () => {
    let from = 0;
    // What has nothing in common stays together: first all that went, then all that came.
    const replace = (to) => { parts.push(...gone.slice(from, to).map((line) => ['gone', line]), ...fresh.slice(from, to).map((line) => ['new', line])); };
    for (let index = 0; index < Math.min(gone.length, fresh.length); index += 1) {
      if (!isAlike(gone[index], fresh[index])) continue;
      replace(index);
      parts.push(...words(gone[index], fresh[index]));
      from = index + 1;
    }
    replace();
    [gone, fresh] = [[], []];
  };
  for (const [kind, line] of aligned(lines(before), lines(after))) {
    if (kind === 'gone') gone.push(line);
    else if (kind === 'new') fresh.push(line);
    else { flush(); parts.push([kind, line]); }
  }
  flush();
  return joined(parts);
}

/** The same word by word. Texts too large to compare count as replaced. */
export function words(before, after) {
  return joined(aligned(split(before), split(after)));
}

const lines = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function isAlike(before, after) {
  const [a, b] = [before, after].map((line) => line.match(/[^\s]+/g) ?? []);
  const kept = a.filter((word) => b.includes(word)).length;
  return kept >= ALIKE * Math.max(a.length, b.length);
}

function aligned(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map((word) => ['same', word]), ...middle, ...a.slice(a.length - end).map((word) => ['same', word])];
}

const split = (text) => text.match(/\s+|[^\s]+/g) ?? [];

function between(a, b) {
  if (a.length * b.length > LARGEST) return [...a.map((word) => ['gone', word]), ...b.map((word) => ['new', word])];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j]
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const parts = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) { parts.push(['same', a[i]]); i += 1; j += 1; }
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) { parts.push(['gone', a[i]]); i += 1; }
    else { parts.push(['new', b[j]]); j += 1; }
  }
  return [...parts, ...a.slice(i).map((word) => ['gone', word]), ...b.slice(j).map((word) => ['new', word])];
}

function joined(parts) {
  const all = [];
  for (const [kind, text] of parts) {
    if (all.at(-1)?.[0] === kind) all.at(-1)[1] += text;
    else all.push([kind, text]);
  }
  return all;
}
