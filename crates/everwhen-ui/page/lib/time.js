// Dates as people read and type them, always in the zone of the vault.
import { locale, t } from './text.js';

export const DAY_MS = 86_400_000;
const formats = new Map();

/** Formatters are slow to make, so each is made once. */
function formatter(zone, options, lang = locale()) {
  const name = `${lang} ${zone} ${JSON.stringify(options)}`;
  if (!formats.has(name)) formats.set(name, new Intl.DateTimeFormat(lang, { timeZone: zone, ...options }));
  return formats.get(name);
}

export const clock = (time, zone) => formatter(zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(time));
export const shortDay = (time, zone) => formatter(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(time));
export const longDay = (time, zone) => formatter(zone, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(time));
/** @type {(time: string | number, zone: string, length?: 'short' | 'long') => string} */
export const month = (time, zone, length = 'short') => formatter(zone, { month: length, year: 'numeric' }).format(new Date(time));
export const told = (time, zone) => `${shortDay(time, zone)}, ${clock(time, zone)}`;

/** Year, month, day, hour, minute and second that a clock in the zone shows. */
function fields(time, zone) {
  const parts = formatter(zone, { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', era: 'short' }, 'en-US').formatToParts(time);
  const at = (type) => Number(parts.find((part) => part.type === type).value);
  return [at('year'), at('month'), at('day'), at('hour'), at('minute'), at('second')];
}

/** The day as `2025-06-08`. */
export function dayOf(time, zone) {
  const [year, month_, day] = fields(new Date(time), zone);
  return `${String(year).padStart(4, '0')}-${String(month_).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Days from one `2025-06-08` to another. */
export const daysBetween = (from, to) => Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);

/** The instant at which a clock in the zone shows this. */
function instant(zone, year, month_, day, hour = 0, minute = 0, second = 0) {
  const wanted = Date.UTC(year, month_ - 1, day, hour, minute, second);
  let guess = wanted;
  for (let turn = 0; turn < 3; turn += 1) {
    const [y, mo, d, h, mi, s] = fields(new Date(guess), zone);
    const off = Date.UTC(y, mo - 1, d, h, mi, s) - wanted;
    if (off === 0) break;
    guess -= off;
  }
  return guess;
}

/**
 * Reads what people type: `2025`, `2025-06`, `2025-06-08`, `2025-06-08 12:49`, or RFC 3339. A day, month or year means its end,
 * since a moment bounds what was said *by then*. Returns an instant in milliseconds, or null.
 */
export function read(text, zone) {
  const typed = (text ?? '').trim();
  const found = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/.exec(typed);
  if (!found) return null;
  const year = Number(found[1]);
  const [month_, day, hour, minute, second] = found.slice(2, 7).map((digits) => (digits === undefined ? undefined : Number(digits)));
  if ((month_ !== undefined && (month_ < 1 || month_ > 12)) || (day !== undefined && (day < 1 || day > 31)) || (hour ?? 0) > 23 || (minute ?? 0) > 59) return null;
  if (found[7]) {
    const exact = Date.parse(typed.replace(' ', 'T'));
    return Number.isNaN(exact) ? null : exact;
  }
  if (hour !== undefined) return instant(zone, year, month_, day, hour, minute, second ?? 0);
  if (day !== undefined) return instant(zone, year, month_, day + 1);
  if (month_ !== undefined) return instant(zone, year, month_ + 1, 1);
  return instant(zone, year + 1, 1, 1);
}

/** An instant as it stands in an address: to the minute, in the zone. */
export function write(time, zone) {
  const [, , , hour, minute] = fields(new Date(time), zone);
  const two = (number) => String(number).padStart(2, '0');
  return `${dayOf(time, zone)}T${two(hour)}:${two(minute)}`;
}

export const iso = (time) => new Date(time).toISOString();

/** `3 weeks ago`, roughly; the exact time belongs beside it. */
export function ago(time, now = Date.now()) {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const name = `relative ${locale()}`;
  if (!formats.has(name)) formats.set(name, new Intl.RelativeTimeFormat(locale()));
  const relative = formats.get(name);
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [['year', 31_557_600], ['month', 2_629_800], ['week', 604_800], ['day', 86_400], ['hour', 3600], ['minute', 60]];
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return t('just.now');
}

/** A pause in words: `21 days`, `5 months`. */
export function pause(days) {
  if (days >= 730) return t('pause.years', { n: Math.floor(days / 365.25) });
  if (days >= 61) return t('pause.months', { n: Math.floor(days / 30.44) });
  return t('pause.days', { n: days });
}

/** A length of time: `4 min`, `2 h 10 min`. */
export function duration(ms) {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return t('duration.seconds', { n: Math.round(ms / 1000) });
  if (minutes < 60) return t('duration.minutes', { n: minutes });
  if (minutes < 2880) return t('duration.hours', { h: Math.floor(minutes / 60), m: minutes % 60 });
  return t('pause.days', { n: Math.floor(minutes / 1440) });
}
