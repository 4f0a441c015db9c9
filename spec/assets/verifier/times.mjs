/**
 * Times as integers (trace, times and rule time): no time passes through a floating-point number.
 *
 * An instant is a BigInt of nanoseconds since 1970; rules compare whole microseconds, floored.
 */

const RFC_3339 = new RegExp(
  "^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.]([0-9]{1,9}))?" +
    "(?:Z|([+-])([0-9]{2}):([0-9]{2}))$",
);
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_BEFORE_1970 = 719528;
const SECOND = 1_000_000_000n;
const MICROSECOND = 1000n;

/**
 * The instant that an RFC 3339 time names, in nanoseconds since 1970, or null where the text is none: it needs `T`, an
 * offset, at most nine fraction digits and a date that exists from the year 1 on, and has no leap second.
 *
 * @param {string} text
 * @returns {bigint|null}
 */
export function instant(text) {
  const found = RFC_3339.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  const [offsetHours, offsetMinutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  const onTheClock = hour < 24 && minute < 60 && second < 60 && offsetHours < 24 && offsetMinutes < 60;
  if (!onTheClock || !isDate(year, month, day)) return null;
  const east = (found[8] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const minutes = (dayNumber(year, month, day) * 24 + hour) * 60 + minute - east;
  return BigInt(minutes * 60 + second) * SECOND + BigInt((found[7] ?? "").padEnd(9, "0"));
}

/** Rule time: microseconds since 1970, floored, also before 1970. */
export function ruleTime(nanoseconds) {
  const beyond = ((nanoseconds % MICROSECOND) + MICROSECOND) % MICROSECOND;
  return (nanoseconds - beyond) / MICROSECOND;
}

function isDate(year, month, day) {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  return day <= dayNumber(month === 12 ? year + 1 : year, (month % 12) + 1, 1) - dayNumber(year, month, 1);
}

/** Days since 1970-01-01 in the Gregorian calendar, extended to the year 1. */
function dayNumber(year, month, day) {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const inThisYear = DAYS_BEFORE_MONTH[month - 1] + (month > 2 && isLeap(year) ? 1 : 0);
  return before * 365 + leapDays + 366 + inThisYear + day - 1 - DAYS_BEFORE_1970;
}

function isLeap(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
