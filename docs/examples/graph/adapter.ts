import { type AdapterAnswer, type AdapterRequest, defineAdapter } from 'tryon';

/** The status that the interface has for each code of an error. */
const statuses: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  QUOTA_EXCEEDED: 402,
  NOT_FOUND: 404,
  TOO_LARGE: 413,
  BAD_USER_INPUT: 422,
  RATE_LIMITED: 429,
};
/** A map: an object takes a list with one name for that name, and repairs a malformed event. */
const eventNames = new Map<string, string>([
  ['shade_selected', 'ShadeSelected'],
  ['cart_intent', 'CartIntent'],
]);

/** Everything is one operation with variables. */
function operation(operationName: string, variables: object, key?: string): AdapterRequest {
  return {
    path: '/graphql',
    headers: { authorization: key === undefined ? undefined : `ApiKey ${key}` },
    body: { operationName, variables },
  };
}

/** The data of an operation, as the service answers it. */
type Data<Name extends string, Result> = AdapterAnswer<{ readonly data: Readonly<Record<Name, Result>> }>;

interface StartTryOn {
  readonly tryOn: { readonly id: string };
  readonly credentials: { readonly token: string; readonly expiresAt: number };
  readonly shades: { readonly totalCount: number };
}

interface TryOn {
  readonly id: string;
  readonly product: { readonly id: string };
  readonly catalog: { readonly id: string };
  readonly locale: string;
  readonly events: {
    readonly nodes: readonly { uid: string; name: string; shade: string | null; when: string }[];
  };
}

interface Shades {
  readonly edges: readonly { readonly node: { sku: string; name: string; hex: string; finish: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

interface Report {
  readonly from: string;
  readonly to: string;
  readonly tryOns: number;
  readonly shadesPerTryOn: number;
  readonly cartPercent: number;
  readonly favourites: readonly { readonly shade: { readonly sku: string }; readonly count: number }[];
}

type Errors = { readonly errors?: readonly { readonly extensions: { readonly code: string } }[] } | undefined;

export default defineAdapter({
  status: ({ body, status }: AdapterAnswer<Errors>) =>
    statuses[body?.errors?.[0]?.extensions.code ?? ''] ?? status,
  create_session: {
    request: ({ catalog_id, locale, product_id }, { key }) =>
      operation('startTryOn', { product: product_id, catalog: catalog_id, locale }, key),
    answer: ({ body }: Data<'startTryOn', StartTryOn>) => {
      const { credentials, shades, tryOn } = body.data.startTryOn;
      return {
        session_id: tryOn.id,
        token: credentials.token,
        expires_at: new Date(credentials.expiresAt * 1e3).toISOString(),
        shade_count: shades.totalCount,
      };
    },
  },
  read_session: {
    request: ({ session_id }, { key }) => operation('tryOn', { id: session_id }, key),
    answer: ({ body }: Data<'tryOn', TryOn>) => {
      const { catalog, events, id, locale, product } = body.data.tryOn;
      const interactions = events.nodes.map(({ name, shade, uid, when }) => ({
        ...{
          id: uid,
          type: name === 'CartIntent' ? ('cart_intent' as const) : ('shade_selected' as const),
          at: when,
        },
        ...(shade === null ? {} : { sku: shade }),
      }));
      return { session_id: id, product_id: product.id, catalog_id: catalog.id, locale, interactions };
    },
  },
  list_shades: {
    request: ({ catalog_id, page }, { key }) =>
      operation('shades', { catalog: catalog_id, after: page }, key),
    answer: ({ body }: Data<'shades', Shades>) => {
      const { edges, pageInfo } = body.data.shades;
      return {
        shades: edges.map(({ node }) => node),
        next: pageInfo.hasNextPage ? pageInfo.endCursor : undefined,
      };
    },
  },
  import_shades: {
    request: ({ catalog_id, shades }, { key }) =>
      operation('importShades', { catalog: catalog_id, input: shades }, key),
  },
  analytics: {
    request: ({ end_date, product_id, start_date }, { key }) =>
      operation('report', { from: start_date, to: end_date, product: product_id }, key),
    answer: ({ body }: Data<'report', Report>) => {
      const { cartPercent, favourites, from, shadesPerTryOn, to, tryOns } = body.data.report;
      return {
        period: `${from} / ${to}`,
        total_sessions: tryOns,
        avg_shades_per_session: shadesPerTryOn,
        cart_intent_rate: cartPercent / 100,
        top_shades: favourites.map(({ count, shade }) => ({ sku: shade.sku, selections: count })),
      };
    },
  },
  interact: {
    request: ({ interactions, session_id }, { token }) =>
      operation('track', {
        tryOn: session_id,
        token,
        events: interactions.map(({ at, id, sku, type }) => ({
          ...{ uid: id, name: eventNames.get(type) ?? type, shade: sku, when: at },
        })),
      }),
    answer: ({ body }: Data<'track', { accepted: number }>) => ({ accepted: body.data.track.accepted }),
  },
  examples: [
    {
      endpoint: 'create_session',
      answer: {
        body: {
          data: {
            startTryOn: {
              tryOn: { id: 'a1' },
              credentials: { token: 'tok_1', expiresAt: 1_767_225_600 },
              shades: { totalCount: 36 },
            },
          },
        },
      },
      body: { session_id: 'a1', token: 'tok_1', expires_at: '2026-01-01T00:00:00.000Z', shade_count: 36 },
    },
    {
      endpoint: 'create_session',
      answer: { body: { data: null, errors: [{ extensions: { code: 'QUOTA_EXCEEDED' } }] } },
      status: 402,
    },
    {
      endpoint: 'list_shades',
      answer: {
        body: {
          data: {
            shades: {
              edges: [{ node: { sku: 'S1', name: 'Rose', hex: '#A1B2C3', finish: 'matte' } }],
              pageInfo: { hasNextPage: true, endCursor: 'S1' },
            },
          },
        },
      },
      body: { shades: [{ sku: 'S1', name: 'Rose', hex: '#A1B2C3', finish: 'matte' }], next: 'S1' },
    },
    {
      endpoint: 'read_session',
      answer: {
        body: {
          data: {
            tryOn: {
              ...{ id: 'a1', product: { id: 'p1' }, catalog: { id: 'c1' }, locale: 'en-GB' },
              events: {
                nodes: [{ uid: 'e1', name: 'CartIntent', shade: null, when: '2026-01-01T00:00:00Z' }],
              },
            },
          },
        },
      },
      body: {
        ...{ session_id: 'a1', product_id: 'p1', catalog_id: 'c1', locale: 'en-GB' },
        interactions: [{ id: 'e1', type: 'cart_intent', at: '2026-01-01T00:00:00Z' }],
      },
    },
    {
      endpoint: 'analytics',
      answer: {
        body: {
          data: {
            report: {
              ...{ from: '2026-01-01', to: '2026-01-02', tryOns: 4, shadesPerTryOn: 1.5, cartPercent: 25 },
              favourites: [{ shade: { sku: 'S1' }, count: 3 }],
            },
          },
        },
      },
      body: {
        ...{ period: '2026-01-01 / 2026-01-02', total_sessions: 4, avg_shades_per_session: 1.5 },
        ...{ cart_intent_rate: 0.25, top_shades: [{ sku: 'S1', selections: 3 }] },
      },
    },
    { endpoint: 'interact', answer: { body: { data: { track: { accepted: 2 } } } }, body: { accepted: 2 } },
  ],
});
