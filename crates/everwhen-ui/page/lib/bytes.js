// Bytes of UTF-8, which the server counts and sends; JavaScript counts units of UTF-16.

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

const NEWLINE = 10;

/**
 * A function that takes the pieces of a stream as they come and calls `onLine` for each line that is complete, without its end.
 * The line may be a part of a piece, so whoever keeps it copies it.
 * @param {(line: Uint8Array) => void} onLine
 */
export function eachLine(onLine) {
  /** @type {Uint8Array[]} */
  let begun = [];
  return (/** @type {Uint8Array} */ piece) => {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      onLine(joined([...begun, piece.subarray(from, end)]));
      begun = [];
      from = end + 1;
    }
    if (from < piece.length) begun.push(piece.slice(from));
  };
}

function joined(parts) {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
