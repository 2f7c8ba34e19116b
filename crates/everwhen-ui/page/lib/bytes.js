// The server counts bytes of UTF-8, JavaScript counts units of UTF-16.

/** The text cut at the byte offsets `start` and `end`: what stands before, between and behind them. */
export function cut(text, start, end) {
  const [from, to] = [unit(text, start), unit(text, end)];
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

function unit(text, bytes) {
  let seen = 0;
  let units = 0;
  for (const letter of text) {
    if (seen >= bytes) break;
    const code = letter.codePointAt(0);
    seen += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units += letter.length;
  }
  return units;
}
