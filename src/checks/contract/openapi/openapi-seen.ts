import { z } from 'zod';
import type { History } from '../../../history/history.ts';
import { routeField } from '../../../history/record.ts';
import { isRedacted } from '../../../history/redact.ts';
import { ofParameter } from '../../../history/tables.ts';
import { isTranslated } from '../../../target/adapt/map.ts';
import { parsedJson } from '../../../target/json.ts';
import { type Description, headerNames } from '../../../target/openapi/description.ts';
import { readDescription } from '../../../target/openapi/document.ts';
import { type Held, holdAgainst, type Route, type SeenAnswers } from '../../../target/openapi/hold.ts';
import { type Profile, usualPath } from '../../../target/profile.ts';
import { type Endpoint, endpoints } from '../../../vocabulary/requests.ts';
import { firstSeqs, seqsColumn } from '../../core/found.ts';
import { isProbe } from '../../core/probes.ts';
import { oddForms } from '../errors/answers.ts';

const alike = {
  endpoint: z.enum(endpoints),
  status: z.number(),
  type: z.string().nullable(),
  /** Method and path, where an adapter decided them. */
  own_route: z.string().nullable(),
  answers: z.number(),
  seqs: seqsColumn,
};
const kindRow = z.object({ ...alike, is_empty: z.boolean() });
const headerRow = z.object({ ...alike, name: z.string(), value: z.string().nullable() });
const bodyRow = z.object({ ...alike, body: z.string().nullable(), bytes: z.number().nullable() });

/** Values of one header that are held against a description, at most: the first ones. */
const mostValues = 10_000;
/** A body of `null` reads like none. */
const bytesOfNull = 4;
const mostBodyBytes = 4 * 2 ** 20;

const route = `json_extract_string(r.described_headers, '$."${routeField}"')`;
/** SQL: the columns that all have, of answers to requests whose path is that of their endpoint. */
const columns = `r.endpoint, coalesce(r.wire_status, r.status) AS status,
  json_extract_string(r.described_headers, '$."content-type"') AS type,
  ${route} AS own_route`;
const isOfEndpoint = `r.status IS NOT NULL AND r.described_headers IS NOT NULL
  AND NOT ${isProbe('scope:spelled', 'next-page')} AND r.seq NOT IN (${oddForms})`;

/** SQL: whether an answer can be held against a description. Where an adapter decided it, only the sender knew the route. */
function heldBy({ adapter }: Profile): string {
  return adapter === undefined ? isOfEndpoint : `${isOfEndpoint} AND ${route} IS NOT NULL`;
}

/** What a run has seen of its answers, as far as its history has it. */
async function readSeen(history: History, description: Description): Promise<SeenAnswers> {
  const isHeld = heldBy(history.profile);
  const base = new URL(history.run.target.base_url).pathname;
  const routes = routesOf(history.profile, base);
  const kinds = await history.rows(
    kindRow,
    `SELECT ${columns}, coalesce(bytes, 0) = 0 AS is_empty, count(*) AS answers, ${firstSeqs} AS seqs
     FROM requests r WHERE ${isHeld} GROUP BY ALL ORDER BY endpoint, status, type`,
  );
  const body = isTranslated(history.profile) ? 'b.wire' : 'b.body';
  // The history has every call of the explorer, but not the body of each.
  const bodies = await history.rows(
    bodyRow,
    `SELECT ${columns}, 1 AS answers, [r.seq] AS seqs, r.bytes, CAST(${body} AS VARCHAR) AS body
     FROM bodies b JOIN requests r USING (seq)
     WHERE ${isHeld} AND (b.call IS NULL OR ${body} IS NOT NULL) ORDER BY r.seq`,
  );
  const withRoute = <Row extends { readonly endpoint: Endpoint; readonly own_route: string | null }>(
    row: Row,
  ) => ({ ...row, route: row.own_route === null ? routes[row.endpoint] : ownRoute(row.own_route, base) });
  return {
    kinds: kinds.map(({ is_empty: isEmpty, ...row }) => ({ ...withRoute(row), isEmpty })),
    headers: (await headersSeen(history, headerNames(description))).map(withRoute),
    bodies: bodies.flatMap(({ body, bytes, ...row }) => {
      if (body !== null) return [{ ...withRoute(row), body: parsedJson(body) }];
      const isText = bytes !== null && bytes > 0 && bytes !== bytesOfNull && bytes <= mostBodyBytes;
      return isText && !isTranslated(history.profile) ? [{ ...withRoute(row), body: undefined }] : [];
    }),
  };
}

async function headersSeen(
  history: History,
  names: readonly string[],
): Promise<z.output<typeof headerRow>[]> {
  if (names.length === 0) return [];
  const isHeld = heldBy(history.profile);
  return history.rows(
    headerRow,
    `FROM (
       SELECT ${columns}, name, json_extract_string(r.described_headers, '$."' || name || '"') AS value,
         count(*) AS answers, ${firstSeqs} AS seqs
       FROM requests r, ${ofParameter('names')} AS t(name) WHERE ${isHeld} GROUP BY ALL)
     QUALIFY value IS NULL OR row_number() OVER (PARTITION BY endpoint, status, name ORDER BY seqs[1]) <= ${mostValues}
     ORDER BY seqs[1], name`,
    { names: JSON.stringify(names) },
  );
}

/** A route as the sender recorded it: method, blank, path. */
function ownRoute(text: string, base: string): Route {
  const [method = '', path = ''] = text.split(' ');
  return { base, method, path };
}

const own: Readonly<Record<Endpoint, Pick<Route, 'method' | 'path'>>> = {
  'create-session': { method: 'POST', path: '/sessions' },
  'read-session': { method: 'GET', path: '/sessions/{session_id}' },
  'list-shades': { method: 'GET', path: '/shades' },
  'import-shades': { method: 'POST', path: '/shades' },
  analytics: { method: 'GET', path: '/analytics/sessions' },
  interact: { method: 'POST', path: usualPath },
};

/** How each endpoint's requests go out, by the profile. */
function routesOf({ channel, map = {} }: Profile, base: string): Readonly<Record<Endpoint, Route>> {
  const channelMap = typeof channel === 'object' ? channel : undefined;
  return Object.fromEntries(
    endpoints.map((endpoint): [Endpoint, Route] => {
      const mapped =
        endpoint === 'interact'
          ? channelMap
          : map[endpoint.replaceAll('-', '_') as Exclude<keyof typeof map, 'headers'>];
      const { method, path } = own[endpoint];
      const told = mapped?.path === undefined || mapped.path === 'discover' ? path : mapped.path;
      return [
        endpoint,
        {
          base,
          method: mapped?.method ?? (mapped?.body === undefined ? method : 'POST'),
          path: told.split('?', 1)[0] ?? told,
        },
      ];
    }),
  ) as Record<Endpoint, Route>;
}

/** Holds the answers of a history against a description in OpenAPI, which is `from` somewhere. Throws if it cannot be read. */
export async function holdHistory(history: History, text: string, from: string): Promise<Held> {
  const description = readDescription(text, from);
  return holdAgainst(description, await readSeen(history, description), isRedacted);
}
