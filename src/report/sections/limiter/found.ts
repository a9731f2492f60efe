import { number, span } from '../../../amounts.ts';
import type { LimiterFindings } from '../../../checks/rate-limit/study/findings.ts';
import { kindText } from '../../../checks/reasons/words/limits.ts';
import type { Profile } from '../../../target/profile.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { inWords, percent, type ShownSurvivor } from '../../limiter-words.ts';
import { type Content, foreign, type Html, html } from '../../markup.ts';
import { table } from '../../section.ts';
import { intervalText } from '../../shown.ts';
import type { CheckLinks } from '../check-links.ts';

const phases: Readonly<Record<NonNullable<ShownSurvivor['phase']>, string>> = {
  'clock-aligned': 'by the clock',
  unaligned: 'on another grid',
  'first-request': 'at a key’s first request, and then evenly',
  'each-first-request': 'each with a request',
};
const unsaid = html`<span class="none">not stated</span>`;
const unknown = html`<span class="none">not known</span>`;

/** A row of the table, its cells in the words of the columns. */
interface FoundRow {
  readonly what: string;
  readonly promised?: Content;
  readonly measured: Content;
  readonly possible?: Content;
  /** The check that gives the verdict. */
  readonly check?: CheckId;
}

/** The result in a sentence, and next to the profile's promises. */
export function foundPart(findings: LimiterFindings, profile: Profile, checks: CheckLinks): Html {
  const { inference, refusalStatus, scope, keysDiffer } = findings;
  const [best] = inference.survivors;
  const others = inference.requests - inference.admitted - inference.limited;
  return html`<p><strong>${sentence(inWords(findings))}</strong></p>
<p>${number(inference.requests)} requests with the run’s keys were compared with every kind of limiter: ${number(inference.admitted)} admitted, ${number(inference.limited)} rejected${
    refusalStatus !== 429 && ` (with status ${String(refusalStatus)})`
  }${others > 0 && `, ${number(others)} with another answer or none`}. Requests without a valid key, and events with a session token, are not among them.${keysDiffer && ' The keys seem to have different limits; the table is about the load key.'} The limit and the window were measured, not taken from the profile.</p>
${table<FoundRow>(
  'Measured, and promised by the profile',
  [
    {
      what: 'Kind',
      promised: profile.limiter === 'unspecified' ? unsaid : kindText(profile.limiter),
      measured: best === undefined ? unknown : best.name,
      check: 'rate-limit.algorithm',
    },
    {
      what: 'Limit',
      promised: number(profile.rate_limit.requests),
      measured: best?.limit == null ? unknown : number(best.limit),
      possible: best?.limitBounds == null ? '' : intervalText(best.limitBounds),
      check: 'rate-limit.limit',
    },
    {
      what: 'Window',
      promised: span(profile.rate_limit.windowMs),
      measured: best?.windowMs == null ? unknown : span(best.windowMs),
      possible: best?.windowMsBounds == null ? '' : `${intervalText(rounded(best.windowMsBounds))} ms`,
      check: 'rate-limit.window',
    },
    { what: 'Burst from idle', measured: best?.burst == null ? unknown : number(best.burst) },
    ...(best?.refillPerS == null
      ? []
      : [{ what: 'Refill', measured: `${number(Math.round(best.refillPerS * 100) / 100)} a second` }]),
    ...(best?.blockMs === undefined
      ? []
      : [
          {
            what: 'Block after a rejection',
            measured: span(best.blockMs),
            possible:
              best.blockMsBounds === undefined ? '' : `${intervalText(rounded(best.blockMsBounds))} ms`,
          },
        ]),
    ...(best?.phase == null ? [] : [{ what: 'Windows begin', measured: phases[best.phase] }]),
    {
      what: 'Rejected requests count',
      measured: best?.rejectsCount == null ? 'cannot be seen from outside' : best.rejectsCount ? 'yes' : 'no',
    },
    {
      what: 'Keys',
      promised: stated(profile.limit_scope),
      measured: either(scope.per_key, 'a separate limit each', 'one limit for all'),
      check: 'rate-limit.scope',
    },
    {
      what: 'Client addresses',
      measured: either(scope.per_address, 'a separate limit each', 'make no difference'),
    },
    {
      what: 'Endpoints',
      promised: stated(profile.limit_endpoints),
      measured: either(scope.per_endpoint, 'a separate limit each', 'one limit for all'),
    },
    {
      what: 'Requests without a valid key',
      measured: either(scope.unauthenticated_counted, 'limited, too', 'not limited'),
    },
    { what: 'Confidence', promised: '', measured: best === undefined ? unknown : percent(best.confidence) },
  ],
  [
    ['Fact', ({ what }) => what],
    ['Promised', ({ promised = unsaid }) => promised],
    ['Measured', ({ measured }) => measured],
    ['Possible range', ({ possible }) => possible],
    ['Verdict', ({ check }) => check !== undefined && checks.badge(check)],
  ],
)}`;
}

function sentence(clause: string): Html {
  const text = clause.charAt(0).toUpperCase() + clause.slice(1);
  return foreign(`${text}.`);
}

function stated(value: string): Content {
  return value === 'discover' ? unsaid : value;
}

function either(value: boolean | null, yes: string, no: string): Content {
  return value === null ? unknown : value ? yes : no;
}

function rounded({ min, max }: Interval): Interval {
  return {
    ...(min === undefined ? {} : { min: Math.round(min) }),
    ...(max === undefined ? {} : { max: Math.round(max) }),
  };
}
