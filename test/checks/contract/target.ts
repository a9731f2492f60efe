import { checkContract } from '../../../src/checks/contract.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import type { AnswerRecord, CatalogRecord } from '../../../src/history/record.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../../history/sample.ts';

export const second = 1e9;
const expiresAt = '2026-05-01T12:30:00.000Z';
export const session = {
  endpoint: 'create-session',
  sessionId: 's1',
  productId: 'p1',
  catalogId: 'c1',
  locale: 'de-DE',
  count: 2,
  expiresAt,
} as const;
export const shades = [
  { sku: 'A', name: 'Rosé', hex: '#AA0000', finish: 'matte' },
  { sku: 'B', name: 'Nº 5 “Küss”', hex: '#BB0000', finish: 'gloss' },
] as const;
/** Sent by the probe of names. */
export const named = [
  { sku: 'N1', name: 'Œillet № 7', hex: '#CC0000', finish: 'matte' },
  { sku: 'N2', name: 'Pêche 🍑', hex: '#DD0000', finish: 'matte' },
] as const;
const catalog: readonly CatalogRecord[] = [
  ...shades.map((shade) => ({ catalogId: 'c1', productId: 'p1', productName: 'Velvet', ...shade })),
  ...named.map((shade) => ({ catalogId: 'cn', productId: '', productName: '', ...shade })),
];

/** The first seconds of a target that does everything right, with one named record for each thing that is asked. */
const asked: Readonly<Record<string, SampleRequest>> = {
  baseline: { endpoint: 'analytics', stage: 'setup' },
  import: { endpoint: 'import-shades', stage: 'setup', catalogId: 'c1', items: 2, status: 201 },
  list: { endpoint: 'list-shades', stage: 'setup', probe: 'import:list', catalogId: 'c1', count: 2 },
  ...Object.fromEntries(
    (
      ['create-session', 'read-session', 'list-shades', 'import-shades', 'analytics', 'interact'] as const
    ).flatMap((endpoint) => [
      [`no-key:${endpoint}`, { endpoint, probe: `no-key:${endpoint}`, credential: 'none', status: 401 }],
      [`bad-key:${endpoint}`, { endpoint, probe: `bad-key:${endpoint}`, credential: 'bad', status: 401 }],
    ]),
  ),
  'unknown-session': { endpoint: 'read-session', probe: 'unknown-session', sessionId: 'x', status: 404 },
  'unknown-create': { endpoint: 'create-session', probe: 'unknown-catalog:create-session', status: 404 },
  'unknown-list': { endpoint: 'list-shades', probe: 'unknown-catalog:list-shades', status: 404 },
  max: { endpoint: 'import-shades', probe: 'batch-max', catalogId: 'cm', items: 500 },
  'max-list': { endpoint: 'list-shades', probe: 'batch-max:list', catalogId: 'cm', count: 500 },
  over: { endpoint: 'import-shades', probe: 'batch-over', catalogId: 'co', items: 501, status: 422 },
  'over-list': { endpoint: 'list-shades', probe: 'batch-over:list', catalogId: 'co', status: 404 },
  'again-import': { endpoint: 'import-shades', probe: 'again:import', catalogId: 'ca', items: 2 },
  'again-repeat': { endpoint: 'import-shades', probe: 'again:repeat', catalogId: 'ca', items: 2 },
  'again-list': { endpoint: 'list-shades', probe: 'again:list', catalogId: 'ca', count: 2 },
  'twice-import': { endpoint: 'import-shades', probe: 'twice:import', catalogId: 'ca', items: 3 },
  'twice-list': { endpoint: 'list-shades', probe: 'twice:list', catalogId: 'ca', count: 2 },
  'twice-session': { ...session, probe: 'twice:create-session', sessionId: 'twice', catalogId: 'ca' },
  malformed: {
    endpoint: 'import-shades',
    probe: 'malformed:import',
    catalogId: 'cb',
    items: 3,
    status: 422,
  },
  'malformed-list': { endpoint: 'list-shades', probe: 'malformed:list', catalogId: 'cb', status: 404 },
  'names-import': { endpoint: 'import-shades', probe: 'names:import', catalogId: 'cn', items: 2 },
  'names-list': { endpoint: 'list-shades', probe: 'names:list', catalogId: 'cn', count: 2 },
  canary: { ...session, probe: 'canary:create-session', sessionId: 'canary' },
  'canary-read': { endpoint: 'read-session', probe: 'canary:read-session', sessionId: 'canary' },
  channel: { endpoint: 'interact', probe: 'channel', sessionId: 'canary', status: 202 },
  session: { ...session, planned: 0 },
  shades: { endpoint: 'list-shades', catalogId: 'c1', count: 2, planned: 1 },
  act: { endpoint: 'interact', sessionId: 's1', credential: 'session', status: 202 },
  limited: { endpoint: 'create-session', catalogId: 'c1', status: 429, planned: 2 },
  'empty-import': {
    endpoint: 'import-shades',
    probe: 'empty:import',
    catalogId: 'ca',
    items: 0,
    status: 400,
  },
  'empty-list': { endpoint: 'list-shades', probe: 'empty:list', catalogId: 'ca', count: 2 },
};
const bodies: Readonly<Record<string, unknown>> = {
  list: { shades },
  'again-list': { shades },
  'twice-list': { shades },
  'names-list': { shades: named },
  'empty-list': { shades },
  'canary-read': {
    session_id: 'canary',
    product_id: 'p1',
    catalog_id: 'c1',
    locale: 'de-DE',
    interactions: [],
  },
};

/** Fields to replace in a record; `undefined` takes one out. */
type Edit = { readonly [Name in keyof SampleRequest]?: SampleRequest[Name] | undefined };

export interface Change {
  /** Replaces fields of named records; `null` leaves the record out. */
  readonly requests?: Readonly<Record<string, Edit | null>>;
  readonly more?: readonly SampleRequest[];
  readonly bodies?: Readonly<Record<string, unknown>>;
  /** The header by which a body is one page of several. */
  readonly pagedBy?: Readonly<Record<string, string>>;
  /** Bodies of the records in `more`. */
  readonly answers?: readonly AnswerRecord[];
  /** Shades that further imports brought. */
  readonly catalog?: readonly CatalogRecord[];
  readonly profile?: SampleHistory['profile'];
  readonly run?: SampleHistory['run'];
  readonly events?: SampleHistory['events'];
}

function history(change: Change): SampleHistory {
  const names = Object.keys(asked).filter((name) => change.requests?.[name] !== null);
  const requests = names.map((name, index) => {
    const edit = change.requests?.[name] ?? {};
    // A record that is edited to have no answer has no status either.
    const status: Edit = 'lost' in edit || 'notSent' in edit ? { status: undefined } : {};
    return { intendedNs: index * 1e7, ...asked[name], ...edit, ...status } as SampleRequest;
  });
  const kept = { ...bodies, ...change.bodies };
  const answers = Object.keys(kept).flatMap((name): AnswerRecord[] => {
    const index = names.indexOf(name);
    const request = requests[index];
    if (request === undefined) return [];
    const pagedBy = change.pagedBy?.[name];
    return [
      {
        seq: index + 1,
        endpoint: request.endpoint,
        query: {},
        body: kept[name],
        ...(pagedBy && { pagedBy }),
      },
    ];
  });
  return {
    requests: [...requests, ...(change.more ?? [])],
    answers: [...answers, ...(change.answers ?? [])],
    catalog: [...catalog, ...(change.catalog ?? [])],
    ...(change.profile === undefined ? {} : { profile: change.profile }),
    ...(change.run === undefined ? {} : { run: change.run }),
    ...(change.events === undefined ? {} : { events: change.events }),
  };
}

/** Judges the history of the target that does everything right, changed. */
export async function judged(change: Change): Promise<readonly CheckResult[]> {
  return withHistory(history(change), async (each) => (await checkContract(each)).map(render));
}

/** Every check of the group, passed. */
export const allPass = {
  'contract.answers': 'pass',
  'contract.auth': 'pass',
  'contract.not-found': 'pass',
  'contract.shade-count': 'pass',
  'contract.catalog': 'pass',
  'contract.batch-max': 'pass',
  'contract.batch-over': 'pass',
  'contract.batch-malformed': 'pass',
  'contract.names': 'pass',
  'contract.import-again': 'pass',
  'contract.sku-twice': 'pass',
  'contract.expiry': 'pass',
  'contract.canary': 'pass',
  'contract.errors': 'pass',
  'contract.availability': 'pass',
} as const satisfies Record<string, Verdict>;
export type ContractId = keyof typeof allPass;
