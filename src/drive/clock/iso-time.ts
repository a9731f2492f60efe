/** Writes epoch milliseconds as `Date.prototype.toISOString` does; cheaply, where they mostly are of the same second. */
export function isoTimes(): (epochMs: number) => string {
  let second = Number.NaN;
  let prefix = '';
  return (epochMs) => {
    const ms = Math.trunc(epochMs);
    const whole = Math.floor(ms / 1e3);
    if (whole !== second) {
      second = whole;
      prefix = new Date(whole * 1e3).toISOString().slice(0, -4);
    }
    return `${prefix}${String(ms - whole * 1e3).padStart(3, '0')}Z`;
  };
}
