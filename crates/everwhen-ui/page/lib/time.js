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
  return `${String(year).padStart(4, '0')}-${two(month_)}-${two(day)}`;
}

/** Days from one `2025-06-08` to another. */
export const daysBetween = (from, to) => Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);

/** What was typed is no time. The message says what was wrong and what would be right; `figures` tells a date that cannot be from other words. */
export class Unreadable extends Error {
  constructor(message, figures = true) {
    super(message);
    this.figures = figures;
  }
}

const two = (number) => String(number).padStart(2, '0');

/** How far the clocks of the zone are ahead of UTC at an instant. */
function ahead(time, zone) {
  const [year, month_, day, hour, minute, second] = fields(new Date(time), zone);
  return Date.UTC(year, month_ - 1, day, hour, minute, second) - time;
}

/**
 * The instant at which a clock in the zone shows what clocks in UTC show at `wall`: the first of two where clocks go back.
 * Where they go forward over it, `exact` is false and the instant is as much later as they go forward.
 */
function instant(wall, zone) {
  const [before, after] = [ahead(wall - DAY_MS, zone), ahead(wall + DAY_MS, zone)];
  const found = [wall - before, wall - after].filter((time) => time + ahead(time, zone) === wall);
  return found.length ? { time: Math.min(...found), exact: true } : { time: wall - before, exact: false };
}

/** The last day of a month, also of the 13th or the one before the first. */
const lastDay = (year, month_) => new Date(Date.UTC(year, month_, 0)).getUTCDate();

const WRITTEN = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/;

/** The numbers of a written date, each of which a calendar or clock has. */
function figures(typed) {
  const found = WRITTEN.exec(typed);
  if (!found) throw new Unreadable(t('time.unreadable', { text: typed.slice(0, 60) }), false);
  const [year, month_, day, hour, minute, second] = /** @type {any[]} */ (found.slice(1, 7).map((digits) => (digits === undefined ? undefined : Number(digits))));
  if (year < 1000 || year > 8999) throw new Unreadable(t('time.years', { year: found[1] }));
  if (month_ < 1 || month_ > 12 || hour > 23 || minute > 59 || second > 59) throw new Unreadable(t('time.unreadable', { text: typed }));
  const last = lastDay(year, month_);
  if (day < 1 || day > last) throw new Unreadable(t('time.noday', { day: typed.slice(0, 10), last: `${typed.slice(0, 7)}-${last}` }));
  return { year, month_, day, hour, minute, second, offset: found[7] };
}

/**
 * Reads what people type: `2025`, `2025-06`, `2025-06-08`, `2025-06-08 12:49`, or RFC 3339. Returns the first instant of it and the first
 * one behind it, in milliseconds; of a time both are the same. Throws `Unreadable`.
 */
export function span(text, zone) {
  const typed = (text ?? '').trim();
  const { year, month_, day, hour, minute, second, offset } = figures(typed);
  const at = (...wall) => instant(Date.UTC(wall[0], wall[1], wall[2] ?? 1), zone).time;
  if (day === undefined) return month_ === undefined ? { since: at(year, 0), until: at(year + 1, 0) } : { since: at(year, month_ - 1), until: at(year, month_) };
  if (hour === undefined) return { since: at(year, month_ - 1, day), until: at(year, month_ - 1, day + 1) };
  if (offset) {
    const time = Date.parse(typed.replace(' ', 'T'));
    if (Number.isNaN(time)) throw new Unreadable(t('time.unreadable', { text: typed }));
    return { since: time, until: time };
  }
  const { time, exact } = instant(Date.UTC(year, month_ - 1, day, hour, minute, second ?? 0), zone);
  if (!exact) throw new Unreadable(t('time.gap', { time: typed, zone }));
  return { since: time, until: time };
}

/** The end of what people type, since a moment bounds what was said *by then*; null where it cannot be read. */
export function read(text, zone) {
  try { return span(text, zone).until; } catch { return null; }
}

/** The time at which something typed was said: of a day its beginning. Months and years are too long to say it. Throws `Unreadable`. */
export function when(text, zone) {
  const { since } = span(text, zone);
  if (text.trim().length < '2025-06-08'.length) throw new Unreadable(t('time.long', { text: text.trim() }));
  return since;
}

/** An instant as it stands in an address: to the minute, in the zone. */
export function write(time, zone) {
  const [, , , hour, minute, second] = fields(new Date(time), zone);
  const written = `${dayOf(time, zone)}T${two(hour)}:${two(minute)}`;
  // The second of two times that look the same is written in UTC.
  return Math.abs((read(written, zone) ?? time) + second * 1000 - time) < 1000 ? written : `${iso(time).slice(0, 16)}Z`;
}

/**
 * A moment so many calendar days and months on, as it stands in an address. A day stays a day and a time keeps its hour; where a month has no
 * such day it is its last one. Throws `Unreadable`.
 */
export function stepped(text, zone, { days = 0, months = 0 }) {
  const typed = text.trim();
  const { since, until } = span(typed, zone);
  const isTime = since === until;
  const [year, month_, day, hour, minute] = fields(new Date(isTime ? since : until - 1), zone);
  const to = Date.UTC(year, month_ - 1 + months, Math.min(day, lastDay(year, month_ + months)) + days);
  if (isTime) return write(instant(to + (hour * 60 + minute) * 60_000, zone).time, zone);
  return new Date(to).toISOString().slice(0, days || typed.length === '2025-06-08'.length ? 10 : 7);
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
