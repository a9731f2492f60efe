import { describe, expect, it } from 'vitest';
import {
  type CauseCode,
  causeKinds,
  causeText,
  explainedBy,
  fits,
  type Suspect,
  shown,
} from '../../../src/checks/causes/cause.ts';
import type { CauseKind, Params } from '../../../src/checks/causes/kind.ts';
import { symptomsByField } from '../../../src/checks/causes/run.ts';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { modelFaults } from '../../../src/model/faults/table.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';
import { exampleOf } from '../examples/causes.ts';

function result(id: CheckId, verdict: Verdict, causes?: readonly Suspect[]): CheckResult {
  return {
    id,
    title: id,
    verdict,
    expected: '',
    observed: '',
    explanation: '',
    reasons: [],
    evidence: [],
    ...(causes && { causes }),
  };
}

const filter = shown('product-filter-ignored', { fields: ['top_shades'] });
const sessionsWrong = fits('sessions-counted-wrong', { counted: 3, expected: 2 });
const exclusive = shown('end-date-exclusive', {});
const limit101 = fits('limit-differs', { least: 101, most: 101, promised: 100, windowMs: 6_000 });
const admits = fits('admits-over-limit', exampleOf('admits-over-limit') as never);
const extended = shown('window-extended-by-rejections', { windowMs: 6_000 });
const scope = shown('profile-false', { field: 'data_scope', told: 'shared', found: 'per-key' });
const late = shown('generator-late', { lagMs: 120 });
const race = shown('check-then-increment', { over: 3, quota: 20 }, [7, 8]);

const malformed = shown('malformed-request-fails', exampleOf('malformed-request-fails') as never);

/** Requests that got 5xx, at these endpoints. */
function serverErrors(errors: number, ...endpoints: readonly string[]): Suspect {
  return fits('server-errors', { errors, of: 500, endpoints });
}

interface Row {
  readonly results: readonly CheckResult[];
  readonly causes: readonly string[];
  readonly unexplained?: readonly string[];
}

/** A row of the model. */
const lost = modelFaults
  .filter((row) => row.cause === 'interactions-lost')
  .map((row) => explainedBy(row, {}, 'fits', [1]))
  .slice(0, 1);

/** A row with a parameter of this value. */
function rowOf(cause: string, value: string | number): Suspect[] {
  const evidence = { calls: [], divergences: [] };
  return modelFaults
    .filter((row) => row.cause === cause)
    .flatMap((row) => row.over(evidence).map((params) => ({ row, params })))
    .filter(({ params }) => Object.values(params).includes(value))
    .map(({ params, row }) => explainedBy(row, params, 'shown', [1]))
    .slice(0, 1);
}

const eventsSince = fits('depends-on-value', {
  ...{ what: 'event', trait: 'sent_at', values: ['from 7.9 s on'], failed: 31, others: 26 },
});
const unexplainedTotal: Suspect = {
  cause: {
    code: 'answers-unexplained',
    params: {
      ...{ endpoint: 'analytics', kind: 'number', of: 'total_sessions', expected: '4', got: '9' },
      ...{ wrong: 14, answers: 36 },
    },
  },
  strength: 'loose',
};

const rows: readonly (readonly [sentence: string, row: Row])[] = [
  ['nothing failed: there is no cause', { results: [result('books.sent', 'pass')], causes: [] }],
  [
    'a limit for each address admits as much from two of them as two nodes do',
    {
      results: [
        result('rate-limit.scope', 'fail', [shown('limit-by-address', { keys: 'apart' })]),
        result('rate-limit.enforced', 'fail', [fits('counters-per-node', { nodes: 2 })]),
      ],
      causes: ['limit-by-address'],
    },
  ],
  [
    'a symptom belongs to its cause, although its check also names what a passed check contradicts',
    {
      results: [
        result('rate-limit.enforced', 'fail', [
          fits('limit-differs', { least: 54, most: 54, promised: 60, windowMs: 6_000 }),
        ]),
        result('rate-limit.headers', 'fail', [
          shown('stated-limit-wrong', { states: 'draft-6: 54 per 6 s, not 60 per 6 s' }),
        ]),
        result('rate-limit.wrongful', 'fail', [
          fits('refused-below-limit', { refused: 4, limit: 60, windowMs: 6_000 }),
          fits('limit-shared-by-keys', {}),
        ]),
        result('rate-limit.isolation', 'pass'),
      ],
      causes: ['limit-differs'],
    },
  ],
  [
    'what a row of the model predicts is no symptom of what events have in common',
    {
      results: [
        ...(['contract.history', 'contract.acts-again'] as const).map((id) => result(id, 'fail', lost)),
        result('analytics.sessions', 'fail', [
          shown('depends-on-value', {
            ...{ what: 'event', trait: 'place', values: ['from 2 on'], failed: 9, others: 9 },
          }),
        ]),
      ],
      causes: ['interactions-lost', 'depends-on-value'],
    },
  ],
  [
    'what explains more comes before what is only seen, however many checks name that',
    {
      results: [
        ...(['rate-limit.wrongful', 'rate-limit.enforced', 'rate-limit.recovery'] as const).map((id) =>
          result(id, 'fail', [fits('refused-below-limit', { refused: 11, limit: 40, windowMs: 4_000 })]),
        ),
        result('rate-limit.limit', 'fail', [
          fits('limit-drifts', { isShrinking: true, admittedAt: 38, rejectedAt: 33 }),
        ]),
      ],
      causes: ['limit-drifts'],
    },
  ],
  [
    'what a passed check contradicts does not come before what is seen',
    {
      results: [
        result('rate-limit.enforced', 'fail', [admits]),
        result('rate-limit.admitted', 'fail', [
          fits('rate-differs', { limit: 90, windowMs: 6_000, promised: 100, promisedMs: 6_000 }),
        ]),
        result('rate-limit.limit', 'pass'),
        result('rate-limit.window', 'pass'),
      ],
      causes: ['admits-over-limit', 'rate-differs'],
    },
  ],
  [
    'a shade that a session keeps once is why a list counts sessions',
    {
      results: [
        result('analytics.sessions', 'fail', [shown('repeated-selections-merged', { interactions: 84 })]),
        result('analytics.top-shades', 'fail', [
          shown('sessions-for-selections', { sku: 'SKU-1', sessions: 8, selections: 10 }),
        ]),
      ],
      causes: ['repeated-selections-merged'],
    },
  ],
  [
    'a cause takes with it the checks that fail in consequence and name none',
    {
      results: [result('analytics.product-filter', 'fail', [filter]), result('analytics.top-shades', 'fail')],
      causes: ['product-filter-ignored'],
    },
  ],
  [
    'where valid requests fail at three endpoints, that malformed ones fail is no cause of its own',
    {
      results: [
        result('contract.malformed-requests', 'fail', [malformed]),
        result('contract.errors', 'fail', [serverErrors(9, 'analytics', 'interact', 'list-shades')]),
      ],
      causes: ['server-errors'],
    },
  ],
  [
    'where they fail at one, it is',
    {
      results: [
        result('contract.malformed-requests', 'fail', [malformed]),
        result('contract.errors', 'fail', [serverErrors(9, 'analytics')]),
      ],
      causes: ['malformed-request-fails', 'server-errors'],
    },
  ],
  [
    'ids that repeat explain the sums and the tokens that they make wrong',
    {
      results: [
        result('analytics.total-sessions', 'fail', [sessionsWrong]),
        result('analytics.sessions', 'fail', [shown('session-id-reused', { sessions: 2 })]),
        result('analytics.additivity', 'fail'),
        result('contract.errors', 'fail', [
          fits('unexpected-status', { endpoint: 'interact', status: 401, requests: 3 }),
        ]),
      ],
      causes: ['session-id-reused'],
    },
  ],
  [
    'errors that are answered as successes explain a limit that seems not to be enforced',
    {
      results: [
        result('contract.answers', 'fail', [
          fits('errors-as-successes', { answers: 9, of: 90, endpoints: ['list-shades'] }),
          fits('answers-malformed', { endpoint: 'list-shades', problem: 'body' }),
        ]),
        result('rate-limit.enforced', 'fail', [
          fits('limit-not-enforced', { admitted: 200, limit: 100, windowMs: 6_000 }),
        ]),
      ],
      causes: ['errors-as-successes'],
    },
  ],
  [
    'a valid key that gets 401 explains an unknown id that gets it',
    {
      results: [
        result('contract.errors', 'fail', [fits('valid-key-refused', { requests: 3, of: 90, lasts: false })]),
        result('contract.not-found', 'fail', [
          fits('unknown-id-answered', exampleOf('unknown-id-answered') as never),
        ]),
      ],
      causes: ['valid-key-refused'],
    },
  ],
  [
    'a check that names only symptoms of a cause is explained by the cause',
    {
      results: [
        result('analytics.total-sessions', 'fail', [sessionsWrong]),
        result('analytics.period', 'fail', [exclusive]),
      ],
      causes: ['end-date-exclusive'],
    },
  ],
  [
    'a cause that explains everything comes before several that explain parts',
    {
      results: [
        result('rate-limit.limit', 'fail', [limit101]),
        result('rate-limit.recovery', 'fail', [extended]),
        result('rate-limit.wrongful', 'fail'),
      ],
      causes: ['window-extended-by-rejections'],
    },
  ],
  [
    'two causes of different areas both stand',
    {
      results: [
        result('quota.race', 'fail', [race]),
        result('analytics.product-filter', 'fail', [filter]),
        result('analytics.top-shades', 'fail'),
      ],
      causes: ['product-filter-ignored', 'check-then-increment'],
    },
  ],
  [
    'a false field of the profile takes with it what it shows as, and nothing else',
    {
      results: [
        result('contract.tenancy', 'fail', [scope]),
        result('analytics.total-sessions', 'fail', [sessionsWrong]),
        result('rate-limit.limit', 'fail', [limit101]),
      ],
      causes: ['profile-false', 'limit-differs'],
    },
  ],
  [
    'a failure that no cause explains stands on its own',
    {
      results: [result('quota.race', 'fail', [race]), result('contract.catalog', 'fail')],
      causes: ['check-then-increment'],
      unexplained: ['contract.catalog'],
    },
  ],
  [
    'the lateness of the generator explains what it leaves in doubt, after the causes of failures',
    {
      results: [
        result('generator.send-lag', 'inconclusive', [late]),
        result('latency.slo.1', 'inconclusive', [late]),
        result('quota.race', 'fail', [race]),
      ],
      causes: ['check-then-increment', 'generator-late'],
    },
  ],
  [
    'a check that names one more cause, which the first does not cover, needs that one too',
    {
      results: [result('rate-limit.limit', 'fail', [limit101]), result('quota.race', 'fail', [admits, race])],
      causes: ['check-then-increment', 'limit-differs'],
    },
  ],
  [
    'of causes that explain as much, the first of the catalogue comes first',
    {
      results: [result('quota.race', 'fail', [race]), result('analytics.product-filter', 'fail', [filter])],
      causes: ['product-filter-ignored', 'check-then-increment'],
    },
  ],
  [
    'the lateness of the generator is the cause of a check that failed of it, once',
    { results: [result('latency.slo.1', 'fail', [late])], causes: ['generator-late'] },
  ],
  [
    'what lost events have in common, where that only fits, is seen because a row says when they show',
    {
      results: [
        result('contract.history', 'fail', rowOf('history-late', 2)),
        result('analytics.sessions', 'fail', [eventsSince]),
      ],
      causes: ['history-late'],
    },
  ],
  [
    'a field of analytics that no row explains in the calls of the explorer is explained by what is counted in its place',
    {
      results: [
        result('analytics.total-sessions', 'fail', [
          shown('total-of-other', exampleOf('total-of-other') as never),
        ]),
        result('contract.totals', 'fail', [unexplainedTotal]),
      ],
      causes: ['total-of-other'],
    },
  ],
  [
    'sessions with no event leave a total of sessions without a selection, too',
    {
      results: [
        result('analytics.total-sessions', 'fail', [
          shown('inactive-sessions-left-out', { fields: ['total_sessions'] }),
        ]),
        result('contract.totals', 'fail', rowOf('sessions-counted-in-part', 'no event')),
      ],
      causes: ['sessions-counted-in-part'],
    },
  ],
  [
    'a rate of something else may be above 1, by a row of the model as by any check',
    {
      results: [
        result('contract.totals', 'fail', rowOf('mean-of-other', 'cart intents, not sessions')),
        result('contract.answers', 'fail', [
          fits('answers-malformed', { endpoint: 'analytics', problem: 'cart_intent_rate: got 10.5' }),
        ]),
      ],
      causes: ['mean-of-other'],
    },
  ],
  ['what passed names no cause', { results: [result('latency.slo.1', 'pass', [late])], causes: [] }],
  [
    'what is inconclusive names no cause in the target',
    { results: [result('quota.race', 'inconclusive', [race])], causes: [] },
  ],
];

describe('a diagnosis', () => {
  it.each(rows)('%s', (_sentence, { causes, results, unexplained = [] }) => {
    const diagnosis = diagnose(results);
    expect(diagnosis.causes.map(({ cause }) => cause.code)).toEqual(causes);
    expect(diagnosis.unexplained).toEqual(unexplained);
  });

  it('does not depend on the order of the checks', () => {
    for (const [, { results }] of rows) {
      const codes = (of: readonly CheckResult[]) => diagnose(of).causes.map(({ cause }) => cause.code);
      expect(codes(results.toReversed())).toEqual(codes(results));
    }
  });

  it('calls a cause shown where a check knows no other explanation, and no passed check contradicts it', () => {
    const certainty = (...results: readonly CheckResult[]) => diagnose(results).causes[0]?.certainty;
    const sure = shown('limit-differs', { least: 101, most: 101, promised: 100, windowMs: 6_000 });
    const enforced = result('rate-limit.enforced', 'fail', [limit101]);
    expect(certainty(enforced)).toBe('fits');
    expect(certainty(enforced, result('rate-limit.wrongful', 'fail', [limit101]))).toBe('fits');
    expect(certainty(enforced, result('rate-limit.wrongful', 'fail', [sure]))).toBe('shown');
    const contradicted = [result('rate-limit.enforced', 'fail', [sure]), result('rate-limit.limit', 'pass')];
    expect(certainty(...contradicted)).toBe('fits');
    expect(diagnose(contradicted).causes[0]?.contradictedBy).toEqual(['rate-limit.limit']);
  });

  it('has the limit that fits in its headline, and other users as what else fits', () => {
    const below = fits('refused-below-limit', { refused: 58, limit: 1_000, windowMs: 60_000 });
    const limit700 = fits('limit-differs', { least: 700, most: 700, promised: 1_000, windowMs: 60_000 });
    const others = fits('other-users-of-key', {});
    const [first, ...more] = diagnose([
      result('rate-limit.wrongful', 'fail', [below, others]),
      result('rate-limit.enforced', 'fail', [limit700, others]),
      result('rate-limit.recovery', 'fail', [below, others]),
    ]).causes;
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      text: 'The limit fits 700 per 60 s; the promise is 1,000.',
      certainty: 'fits',
      alternatives: [causeText(others.cause, 'fits')],
    });
  });

  it('names one code once, with each field that it is about', () => {
    const meansOf = (field: string) => shown('mean-of-means', { field });
    const [first, ...more] = diagnose([
      result('analytics.avg-shades', 'fail', [meansOf('avg_shades_per_session')]),
      result('analytics.cart-intent', 'fail', [meansOf('cart_intent_rate')]),
    ]).causes;
    expect(more).toEqual([]);
    expect(first?.also.map(({ params }) => params)).toEqual([{ field: 'cart_intent_rate' }]);
    expect(first?.text).toContain('cart_intent_rate');
    expect(first?.checks).toEqual(['analytics.avg-shades', 'analytics.cart-intent']);
  });

  it('is as sure of a cause that a check names twice, or that a check without a verdict would contradict', () => {
    const causeOf = (results: readonly CheckResult[]) => diagnose(results).causes[0];
    const once = causeOf([result('rate-limit.enforced', 'fail', [limit101])]);
    const twice = causeOf([result('rate-limit.enforced', 'fail', [limit101, limit101])]);
    const doubted = [
      result('rate-limit.enforced', 'fail', [limit101]),
      result('rate-limit.limit', 'inconclusive'),
    ];
    expect(twice).toEqual(once);
    expect(causeOf(doubted)).toEqual(once);
  });

  it('takes the figures of the check that is surest', () => {
    const sure = shown('limit-differs', { least: 102, promised: 100, windowMs: 6_000 });
    const results = [
      result('rate-limit.enforced', 'fail', [limit101]),
      result('rate-limit.limit', 'fail', [sure]),
    ];
    for (const each of [results, results.toReversed()])
      expect(diagnose(each).causes.map(({ cause }) => cause.params)).toEqual([sure.cause.params]);
  });

  it('takes, of checks as sure, the figures of the one that judges the property', () => {
    const [found] = diagnose([
      result('contract.catalog', 'fail', [serverErrors(1, 'import-shades')]),
      result('contract.errors', 'fail', [serverErrors(145, 'create-session', 'import-shades')]),
    ]).causes;
    expect(found?.cause.params).toMatchObject({
      errors: 145,
      endpoints: ['create-session', 'import-shades'],
    });
  });

  it('carries at most four of the requests that show the cause, and says that checks failed of it', () => {
    const seen = (seqs: readonly number[]) =>
      diagnose([result('quota.race', 'fail', [{ ...race, seqs }])]).causes[0];
    expect(seen([7, 8])).toMatchObject({ seqs: [7, 8], explains: 'fail' });
    expect(seen([1, 2, 3, 4, 5, 6])?.seqs).toEqual([1, 2, 3, 4]);
  });

  it('does not take with a late generator what names no cause', () => {
    const results = [
      result('latency.slo.1', 'inconclusive', [late]),
      result('latency.table', 'inconclusive'),
    ];
    expect(diagnose(results).causes.map(({ checks }) => checks)).toEqual([['latency.slo.1']]);
  });
});

describe('the catalogue of causes', () => {
  const entries = Object.entries(causeKinds) as [CauseCode, CauseKind<Params>][];

  it.each(entries)(
    '%s: its sentence and what lies behind it are sentences of at most 25 words',
    (code, entry) => {
      const text = causeText({ code, params: exampleOf(code) } as never, 'shown');
      for (const sentence of [text, ...entry.behind.split(/(?<=\.) (?=[A-Z])/)]) {
        expect(sentence.split(/\s+/).length).toBeLessThanOrEqual(25);
      }
      expect(text).toMatch(/^[A-Z0-9“`a-z].*\.$/);
      expect(entry.behind).toMatch(/^[A-Z].*\.$/);
      expect(text).not.toMatch(/undefined|NaN/);
    },
  );

  it.each(entries)('%s covers codes of the catalogue', (code, { alsoCovers, covers = [] }) => {
    const all = [...covers, ...(alsoCovers?.(exampleOf(code) as Params) ?? [])];
    expect(all.filter((each) => !(each in causeKinds))).toEqual([]);
  });

  it.each(Object.entries(symptomsByField))('a false %s shows as codes of the catalogue', (_field, codes) => {
    expect(codes.filter((each) => !(each in causeKinds))).toEqual([]);
  });
});

it.each([...new Map(modelFaults.map((row) => [row.cause, row])).values()])(
  'a row of the model is a cause like any other: $cause',
  (row) => {
    const [params = {}] = row.over({ calls: [], divergences: [] });
    const cause = explainedBy(row, params, 'shown', [1]);
    const others = [fits('server-errors', { errors: 1, of: 500, endpoints: ['analytics'] }), cause];
    const { causes } = diagnose([
      result('contract.history', 'fail', [cause]),
      result('contract.errors', 'fail', others),
      result('analytics.sessions', 'fail', [fits('interactions-lost', { interactions: 1 })]),
    ]);
    expect(causes.map((each) => each.cause.code)).toContain(row.cause);
  },
);
