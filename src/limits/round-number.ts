/** The roundest whole number in [lo, hi], the nearest to its middle where several are as round; undefined if there is none. */
export function roundestWithin(lo: number, hi: number): number | undefined {
  if (Math.ceil(lo) > hi || !Number.isFinite(hi)) return undefined;
  const middle = (lo + hi) / 2;
  for (let power = 10 ** Math.floor(Math.log10(Math.max(1, hi))); power >= 1; power /= 10) {
    for (const step of [power, power / 2, power / 4]) {
      if (step < 1) continue;
      const nearest =
        Math.min(Math.floor(hi / step), Math.max(Math.ceil(lo / step), Math.round(middle / step))) * step;
      if (nearest >= lo && nearest <= hi && Number.isInteger(nearest)) return nearest;
    }
  }
  return Math.round(middle);
}

/** The roundest length of time in [lo, hi] milliseconds: whole hours, minutes and seconds before decimal fractions. */
export function roundestMs(lo: number, hi: number): number | undefined {
  for (const unit of [
    3_600_000, 1_800_000, 900_000, 600_000, 300_000, 60_000, 30_000, 15_000, 10_000, 5_000, 1_000,
  ]) {
    const whole = Math.ceil(lo / unit) * unit;
    if (whole > 0 && whole <= hi) return whole;
  }
  return roundestWithin(lo, hi);
}
