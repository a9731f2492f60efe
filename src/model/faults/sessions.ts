import { type Folding, foldingNames, foldings } from '../alike.ts';
import { saidBy } from '../answer.ts';
import { type ApiCall, keyOf, type Outcome } from '../call.ts';
import { besides } from '../features.ts';
import { opposite, type Presence } from '../register.ts';
import type { Model } from '../stages.ts';
import type { LearntSession, World } from '../world.ts';
import { isLater, otherwise, ranging } from './certainty.ts';
import { type FaultEvidence, faultsOf } from './fault.ts';

/** What a session shows, how long it exists, and how sessions are counted. */

const fault = faultsOf('sessions');

const ownFields = { product_id: 'product', catalog_id: 'catalog', locale: 'locale' } as const;
type OwnField = keyof typeof ownFields;
const fieldNames = Object.keys(ownFields) as OwnField[];

/** Other values of a field that a session shows. */
const showing = (
  m: Model,
  field: string,
  values: (session: LearntSession, world: World, call: ApiCall) => readonly unknown[],
): Pick<Model, 'fields'> => ({
  fields: (fields, call, session, world) => {
    const shown = m.fields(fields, call, session, world);
    return session === undefined ? shown : { ...shown, [field]: values(session, world, call) };
  },
});

/** Reads that find a session. `isSeen`: it exists, and the caller may see it. */
const finding = (
  m: Model,
  isFound: (call: ApiCall, isSeen: boolean, right: readonly Outcome[]) => boolean,
): Pick<Model, 'admits'> => ({
  admits: (right, call, world) => {
    const session = world.sessions.get(call.session ?? -1);
    const account = m.account(call, world);
    const isSeen = session !== undefined && account !== undefined && m.sees(account, session, call);
    return call.op === 'read-session' && isFound(call, isSeen, right) ? ['ok'] : m.admits(right, call, world);
  },
});

/** Reads that do not find a session. */
const missing = (
  m: Model,
  isMeant: (session: LearntSession, call: ApiCall, world: World) => Presence,
): Pick<Model, 'admits'> =>
  otherwise(
    m,
    (call, world) => {
      const session = world.sessions.get(call.session ?? -1);
      return call.op === 'read-session' && session !== undefined ? isMeant(session, call, world) : 'no';
    },
    'missing',
  );

/** The sessions that may be the newest while a call is served. */
function newest(sessions: readonly LearntSession[], call: ApiCall): readonly LearntSession[] {
  const begun = sessions.filter(({ fromMs }) => fromMs < call.untilMs);
  const opened = begun.filter(({ untilMs }) => untilMs <= call.fromMs);
  const latestMs = Math.max(...opened.map(({ fromMs }) => fromMs));
  return begun.filter(({ untilMs }) => untilMs >= latestMs);
}

const localeChanges: Readonly<Record<string, (locale: string) => string>> = {
  'in lower case': (locale) => locale.toLowerCase(),
  'as the language alone': (locale) => locale.slice(0, 2),
  'with _': (locale) => locale.replace('-', '_'),
  'with old codes of languages': (locale) =>
    locale.replace(/^(he|id|yi)/, (code) => ({ he: 'iw', id: 'in', yi: 'ji' })[code] ?? code),
  'with new codes of languages': (locale) => locale.replace(/^tl/, 'fil'),
  'as en-US': () => 'en-US',
};

/** A field that is shown in another spelling; analytics may count a product under that. */
const spelled = (field: OwnField, how: string, length = 0) =>
  (field === 'product_id' ? ['', ', and counts under that'] : ['']).map((counted) => ({
    ...{ field, how, length, counted },
  }));

/** The lengths at which fields of sessions are seen to end. */
function lengthsShown(
  divergences: FaultEvidence['divergences'],
): readonly { readonly field: OwnField; readonly length: number }[] {
  const found = new Map<string, { readonly field: OwnField; readonly length: number }>();
  for (const { expected, got, of } of divergences) {
    const field = fieldNames.find((each) => each === of);
    const [whole] = Array.isArray(expected) ? expected : [];
    if (field !== undefined && typeof got === 'string' && String(whole).startsWith(got))
      found.set(`${field} ${got.length}`, { field, length: got.length });
  }
  return [...found.values()].slice(0, 4);
}

export const sessionFaults = [
  fault('unknown-id-answered', {
    says: 'A session that does not exist is answered with 200.',
    behind: 'A missing session is taken for an empty one.',
    // Another spelling of a path may be no route at all.
    alters: (m) =>
      finding(
        m,
        ({ form, misspelt }, isSeen, right) =>
          form === undefined &&
          (misspelt !== undefined || !isSeen) &&
          right.includes('missing') &&
          !right.includes('unauthorized'),
      ),
  }),
  fault('session-id-compared-loosely', {
    says: 'A session is found by an id {form}.',
    behind: 'A collation of the store, or a comparison by prefix.',
    over: [
      'in the other case',
      'without the last character',
      'with a further character',
      'with another last character',
    ].map((form) => ({ form })),
    alters: (m, { form }) => finding(m, ({ misspelt }, isSeen) => misspelt === form && isSeen),
  }),
  fault('session-disappears', {
    says: '{which} found {when} after {seconds} s.',
    behind: 'Reads go to a replica that is behind, or a cache with an expiry stands where a store should.',
    over: ['A session is', 'Some sessions are'].flatMap((which) =>
      ['only', 'no longer'].flatMap((when) =>
        [1, 2, 3, 4, 5, 10, 30].map((seconds) => ({ which, when, seconds })),
      ),
    ),
    alters: (m, { seconds, when, which }, { calls }) => {
      const keys = new Map(calls.map((call) => [call.n, keyOf(call)]));
      // What another key, or a misspelt id, does not find says nothing.
      const missed = calls.filter(
        (call) =>
          call.answer.status === 404 &&
          call.misspelt === undefined &&
          keyOf(call) === keys.get(call.session ?? -1),
      );
      const some = new Set(missed.map(({ session }) => session));
      return missing(m, (session, call) => {
        if (which !== 'A session is' && !some.has(session.n)) return 'no';
        const isOld = isLater(call, session, 1_000 * seconds);
        return when === 'no longer' ? isOld : opposite[isOld];
      });
    },
  }),
  fault('session-changed', {
    says: 'A session shows the {field} of the newest session.',
    behind: 'A variable that requests share holds what was sent last.',
    over: fieldNames.map((field) => ({ field })),
    alters: (m, { field }) =>
      showing(m, field, (session, { sessions }, call) =>
        newest([session, ...sessions.values()], call).map((each) => each[ownFields[field as OwnField]]),
      ),
  }),
  fault('session-changed', {
    says: 'A session may have the {field} of another one that is asked for at the same time.',
    behind: 'A variable that requests share: one that waits finds what the next one has put there.',
    over: fieldNames.map((field) => ({ field })),
    alters: (m, { field }, { calls }) => {
      const near = besides(calls, (a, b) => a.op === 'create-session' && b.op === a.op);
      const own = ownFields[field as OwnField];
      const others = (n = -1): readonly (string | undefined)[] =>
        calls.flatMap((each) => (near.get(n)?.has(each.n) === true ? [each[own]] : []));
      return {
        ...showing(m, field, (session) => [session[own], ...others(session.n)]),
        counts: (session, call, asking, world) => {
          const all = field === 'product_id' ? [session.product, ...others(session.n)] : [session.product];
          const each = all.map((product = '') => m.counts({ ...session, product }, call, asking, world));
          return each.every((presence) => presence === each[0]) ? (each[0] ?? 'no') : 'maybe';
        },
      };
    },
    price: 2,
  }),
  fault('session-changed', {
    says: 'A session shows its {field} {how}{counted}.',
    behind: 'A library makes it canonical, or a short column cuts it without a word.',
    over: ({ divergences }) => [
      ...Object.keys(localeChanges).flatMap((how) => spelled('locale', how)),
      ...foldingNames.flatMap((how) => spelled('product_id', how).concat(spelled('catalog_id', how))),
      ...lengthsShown(divergences).flatMap(({ field, length }) =>
        spelled(field, `cut to ${length} characters`, length),
      ),
    ],
    alters: (m, { counted, field, how, length }) => {
      const change = (text: string): string =>
        length > 0 ? text.slice(0, length) : (localeChanges[how] ?? foldings[how as Folding])(text);
      return {
        ...showing(m, field, (session) => [change(session[ownFields[field]])]),
        ...(counted !== '' && {
          counts: ({ account, product }, call, asking) =>
            account === asking && change(product) === call.product ? 'yes' : 'no',
        }),
      };
    },
  }),
  fault('expiry-in-the-past', {
    says: '`expires_at` of a new session is in the past.',
    behind:
      'The lifetime is subtracted, seconds are taken for milliseconds, or local time is labelled as UTC.',
    alters: (m) => ({
      ...ranging(m, ['expires_at'], (_, { untilMs }) => [0, untilMs - 2_001]),
      endsMs: () => Number.POSITIVE_INFINITY,
    }),
  }),
  fault('expiry-varies', {
    says: '`expires_at` of new sessions is of two kinds, {hours} h apart.',
    behind: 'One of several nodes has another time zone, or a clock that is wrong.',
    over: [1, 2, 3, 5, 7, 8, 9, 12, 24].map((hours) => ({ hours })),
    alters: (m, { hours }) => ({
      // Whether the first session is of the one kind or the other is not known.
      ...ranging(m, ['expires_at'], (range, call, { lifetimeMs: [shortest, longest] }) => {
        const expires = Number(saidBy(call).fields.expires_at);
        const all = [-1, 0, 1].map((sign) => expires + sign * 3_600_000 * hours);
        return all.some((each) => each >= call.fromMs + shortest && each <= call.untilMs + longest)
          ? [expires, expires]
          : range;
      }),
      endsMs: () => Number.POSITIVE_INFINITY,
    }),
    price: 3,
  }),
  fault('expiry-not-utc', {
    says: '`expires_at` is {form}, not in UTC.',
    behind: 'The local time of the server is written.',
    over: [{ form: 'with another offset' }, { form: 'without an offset' }, { form: 'not an instant' }],
    alters: (m, { form }) => ({
      fields: (fields, call, session, world) => {
        const shown = m.fields(fields, call, session, world);
        return 'form of expires_at' in shown ? { ...shown, 'form of expires_at': [form] } : shown;
      },
    }),
  }),
  fault('expiry-fixed', {
    says: '`expires_at` counts from the start of the service, not from the session.',
    behind: 'The instant is computed once.',
    alters: (m) =>
      ranging(m, ['expires_at'], (range, _, { sessions }) => {
        const [earliest] = sessions.values();
        return earliest === undefined ? range : [earliest.expiresMs, earliest.expiresMs];
      }),
  }),
  fault('session-changed', {
    says: 'A read shows an `expires_at` that differs from the one at creation by {seconds} s.',
    behind: 'Two places compute it, or one has another lifetime.',
    over: [-3_600, 3_600, 7_200, 1_800, 60].map((seconds) => ({ seconds })),
    alters: (m, { seconds }) => showing(m, 'expires_at', ({ expiresMs }) => [expiresMs + 1_000 * seconds]),
  }),
];
