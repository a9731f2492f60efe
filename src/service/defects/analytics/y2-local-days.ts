import type { Defect } from '../defect.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Days are those of some local time. Of all zones the service takes one at the edge of the map, so that for hours after
 * its start its date is not that of UTC: UTC+14 from ten o'clock UTC on, UTC-12 before.
 */
export const localDays: Defect = {
  id: 'Y2',
  grade: 3,
  title: 'Days begin at the midnight of a local zone, not of UTC',
  alterations: {
    options: (options) => {
      const hour = Math.floor((options.clock.wallMs() % dayMs) / hourMs);
      const offsetHours = hour >= 10 ? 14 : -12;
      return { ...options, analytics: { ...options.analytics, dayOffsetMinutes: 60 * offsetHours } };
    },
  },
};
