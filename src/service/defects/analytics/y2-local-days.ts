import type { Defect } from '../defect.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Days are local, in a zone at the edge of the map, so that its date differs from UTC's for hours after the start:
 * UTC+14 from ten o'clock UTC on, UTC-12 before.
 */
export const localDays: Defect = {
  id: 'Y2',
  grade: 3,
  title: 'Days begin at midnight in a local time zone, not in UTC',
  alterations: {
    options: (options) => {
      const hour = Math.floor((options.clock.wallMs() % dayMs) / hourMs);
      const offsetHours = hour >= 10 ? 14 : -12;
      return { ...options, analytics: { ...options.analytics, dayOffsetMinutes: 60 * offsetHours } };
    },
  },
};
