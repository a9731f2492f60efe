/** What a map can name of a request or an answer. */
export interface NamedFields {
  readonly fields: readonly string[];
  /** The one list in it, and the fields of its entries. */
  readonly list?: { readonly name: string; readonly fields: readonly string[] };
}

interface EndpointFields {
  readonly request: NamedFields;
  readonly answer: NamedFields;
}

const shade = ['sku', 'name', 'hex', 'finish'];
const event = ['id', 'type', 'sku', 'at'];

/** Where in a list a request is; and how an answer says what follows. */
export const pageParameters = ['cursor', 'page', 'offset'] as const;
const pageSigns = ['cursor', 'next', 'pages', 'total', 'more'] as const;

/** The fields of each endpoint, by the interface's names and this project's names of the interaction channel. */
export const endpointFields = {
  create_session: {
    request: { fields: ['product_id', 'catalog_id', 'locale'] },
    answer: { fields: ['session_id', 'token', 'expires_at', 'shade_count'] },
  },
  read_session: {
    request: { fields: ['session_id'] },
    answer: {
      fields: ['session_id', 'product_id', 'catalog_id', 'locale'],
      list: { name: 'interactions', fields: event },
    },
  },
  list_shades: {
    request: { fields: ['catalog_id', ...pageParameters] },
    answer: { fields: pageSigns, list: { name: 'shades', fields: shade } },
  },
  import_shades: {
    request: { fields: ['catalog_id'], list: { name: 'shades', fields: shade } },
    answer: { fields: [] },
  },
  analytics: {
    request: { fields: ['start_date', 'end_date', 'product_id'] },
    answer: {
      fields: ['period', 'total_sessions', 'avg_shades_per_session', 'cart_intent_rate'],
      list: { name: 'top_shades', fields: ['sku', 'selections'] },
    },
  },
  interact: {
    request: { fields: ['session_id', 'token'], list: { name: 'interactions', fields: event } },
    answer: { fields: ['accepted'] },
  },
} as const satisfies Readonly<Record<string, EndpointFields>>;

export type MappedEndpoint = keyof typeof endpointFields;

/** Where a request carries one event, its fields also stand outside of a list. */
export const oneEventRequest: NamedFields = {
  ...endpointFields.interact.request,
  fields: [...endpointFields.interact.request.fields, ...event],
};
