import { number, span } from '../../../amounts.ts';
import type { LimiterFindings } from '../../../checks/rate-limit/study/findings.ts';
import { kindText } from '../../../checks/reasons/rate-limit/names.ts';
import type { Interval } from '../../../checks/verdict.ts';
import type { Profile } from '../../../target/profile.ts';
import { inWords, percent } from '../../limiter-words.ts';
import { type Content, foreign, type Html, html } from '../../markup.ts';
import { table } from '../../section.ts';
import { intervalText } from '../../shown.ts';
import type { CheckLinks } from '../check-links.ts';

type Survivor = LimiterFindings['inference']['survivors'][number];

const phases: Readonly<Record<NonNullable<Survivor['phase']>, string>> = {
  'clock-aligned': 'by the clock',
  unaligned: 'on another grid',
  'first-request': 'at a key’s first request, and then evenly',
  'each-first-request': 'each with a request',
};
const unsaid = html`<span class="none">not stated</span>`;
const unknown = html`<span class="none">not known</span>`;

/** The result in a sentence, and next to the profile's promises. */
export function foundPart(findings: LimiterFindings, profile: Profile, checks: CheckLinks): Html {
  const { inference, refusalStatus, scope, keysDiffer } = findings;
  const [best] = inference.survivors;
  const others = inference.requests - inference.admitted - inference.limited;
  const row = (
    what: string,
    promised: Content,
    found: Content,
    bounds: Content,
    check?: string,
  ): Content[] => [what, promised, found, bounds, check === undefined ? '' : checks.badge(check)];
  return html`<p><strong>${sentence(inWords(findings))}</strong></p>
<p>${number(inference.requests)} requests with the run’s keys were compared with every kind of limiter: ${number(inference.admitted)} admitted, ${number(inference.limited)} rejected${
    refusalStatus !== 429 && ` (with status ${String(refusalStatus)})`
  }${others > 0 && `, ${number(others)} with another answer or none`}. Requests without a valid key, and events with a session token, are not among them.${keysDiffer && ' The keys seem to have different limits; the table is about the load key.'} The limit and the window were measured, not taken from the profile.</p>
${table(
  'Measured, and promised by the profile',
  [
    { label: '' },
    { label: 'Promised' },
    { label: 'Measured' },
    { label: 'Possible range' },
    { label: 'Verdict' },
  ],
  [
    row(
      'Kind',
      profile.limiter === 'unspecified' ? unsaid : kindText(profile.limiter),
      best === undefined ? unknown : best.name,
      '',
      'rate-limit.algorithm',
    ),
    row(
      'Limit',
      number(profile.rate_limit.requests),
      best?.limit == null ? unknown : number(best.limit),
      best?.limitBounds == null ? '' : intervalText(best.limitBounds),
      'rate-limit.limit',
    ),
    row(
      'Window',
      span(profile.rate_limit.windowMs),
      best?.windowMs == null ? unknown : span(best.windowMs),
      best?.windowMsBounds == null ? '' : `${intervalText(rounded(best.windowMsBounds))} ms`,
      'rate-limit.window',
    ),
    row('Burst from idle', unsaid, best?.burst == null ? unknown : number(best.burst), ''),
    ...(best?.refillPerS == null
      ? []
      : [row('Refill', unsaid, `${number(Math.round(best.refillPerS * 100) / 100)} a second`, '')]),
    ...(best?.blockMs === undefined
      ? []
      : [
          row(
            'Block after a rejection',
            unsaid,
            span(best.blockMs),
            best.blockMsBounds === undefined ? '' : `${intervalText(rounded(best.blockMsBounds))} ms`,
          ),
        ]),
    ...(best?.phase == null ? [] : [row('Windows begin', unsaid, phases[best.phase], '')]),
    row(
      'Rejected requests count',
      unsaid,
      best?.rejectsCount == null ? 'cannot be seen from outside' : best.rejectsCount ? 'yes' : 'no',
      '',
    ),
    row(
      'Keys',
      stated(profile.limit_scope),
      either(scope.per_key, 'a separate limit each', 'one limit for all'),
      '',
      'rate-limit.scope',
    ),
    row(
      'Client addresses',
      unsaid,
      either(scope.per_address, 'a separate limit each', 'make no difference'),
      '',
    ),
    row(
      'Endpoints',
      stated(profile.limit_endpoints),
      either(scope.per_endpoint, 'a separate limit each', 'one limit for all'),
      '',
    ),
    row(
      'Requests without a valid key',
      unsaid,
      either(scope.unauthenticated_counted, 'limited, too', 'not limited'),
      '',
    ),
    row('Confidence', '', best === undefined ? unknown : percent(best.confidence), ''),
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
