import { z } from 'zod';
import type { History } from '../history/history.ts';
import { sqlText } from '../history/tables.ts';
import { studyPhases } from '../vocabulary/phases.ts';
import type { Band } from './chart.ts';

const stretchRow = z.object({ phase: z.string(), from_ns: z.number(), to_ns: z.number() });

const ofLimits = 'limits: ';
const atTheLimit = 'at the limit';
/**
 * A pause this much longer than the promised window ends a probe: within a probe there are none, after each there is
 * one.
 */
const pauseWindows = 1.2;

/** When a study of the limiter did what: everything at the limit is one stretch, probes that ran side by side are another. */
export async function studyBands(history: History): Promise<Band[]> {
  const pauseNs = pauseWindows * history.profile.rate_limit.windowMs * 1e6;
  const rows = await history.rows(
    stretchRow,
    `WITH gaps AS (
       SELECT phase, sent_ns, coalesce(answered_ns, sent_ns) AS answered_ns,
         sent_ns - lag(sent_ns) OVER (PARTITION BY phase ORDER BY sent_ns) > ${pauseNs} AS begins
       FROM requests WHERE stage = 'study' AND starts_with(phase, ${sqlText(ofLimits)}) AND sent_ns IS NOT NULL
     ), parts AS (
       SELECT *, count(*) FILTER (begins) OVER (PARTITION BY phase ORDER BY sent_ns) AS part FROM gaps
     )
     SELECT phase, min(sent_ns) AS from_ns, max(answered_ns) AS to_ns FROM parts GROUP BY phase, part ORDER BY from_ns`,
  );
  const stretches: NamedStretch[] = [];
  for (const { phase, from_ns, to_ns } of rows) {
    const [name, fromS, toS] = [nameOf(phase), from_ns / 1e9, to_ns / 1e9];
    const before = stretches.at(-1);
    const pauseS = name === atTheLimit && before?.names.has(name) ? pauseNs / 1e9 : 0;
    const goesOn = before !== undefined && fromS < before.toS + pauseS;
    if (goesOn) {
      before.names.add(name);
      before.toS = Math.max(before.toS, toS);
    } else stretches.push({ names: new Set([name]), fromS, toS });
  }
  return stretches.map(({ names, fromS, toS }) => ({ name: [...names].join(' + '), fromS, toS }));
}

interface NamedStretch {
  readonly names: Set<string>;
  readonly fromS: number;
  toS: number;
}

function nameOf(phase: string): string {
  return phase.startsWith(studyPhases.probe) ? phase.slice(ofLimits.length) : atTheLimit;
}
