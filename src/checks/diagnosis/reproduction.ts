import { z } from 'zod';
import { number, seconds } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { usualPath } from '../../target/channel.ts';
import type { CheckId } from '../../vocabulary/check-ids.ts';
import { credentials, endpoints } from '../../vocabulary/requests.ts';
import type { CheckResult } from '../verdict.ts';
import { type Cause, kindOf } from './cause.ts';
import { burstOf, curlOf, importOf, keyOf, type Opening, openingOf, type Sendable } from './curl.ts';
import type { Diagnosed, Diagnosis, Reproduction } from './diagnosis.ts';
import { folded } from './folded.ts';
import type { Params } from './kind.ts';

/** Where the embedded service is started again. */
const servedPort = 8080;

/** An answer is quoted so far. */
const mostBody = 240;

const text = z.string().nullable();
const requestRow = z.object({
  seq: z.coerce.number(),
  endpoint: z.enum(endpoints),
  credential: z.enum(credentials),
  probe: text,
  session_id: text,
  product_id: text,
  catalog_id: text,
  locale: text,
  items: z.number().nullable(),
  status: z.number().nullable(),
  lost: text,
  query: text,
  body: text,
});
type RequestRow = z.infer<typeof requestRow>;
const interactionRow = z.object({
  seq: z.coerce.number(),
  id: z.string(),
  type: z.string(),
  sku: z.string(),
  at: z.string(),
});
const openingRow = z.object({
  session_id: text,
  credential: z.enum(credentials),
  product_id: z.string(),
  catalog_id: z.string(),
  locale: z.string(),
});
const parsed = z.record(z.string(), z.string());

/** Causes that get a reproduction: more would not be read. */
const mostReproduced = 5;

/** A diagnosis whose first causes say how to see them, and what was expected: the property of the first check that fails. */
export async function withReproductions(
  history: History,
  diagnosis: Diagnosis,
  results: readonly Pick<CheckResult, 'id' | 'title'>[],
): Promise<Diagnosis> {
  const titles = new Map(results.map(({ id, title }) => [id, title]));
  const causes: Diagnosed[] = [];
  for (const [place, each] of diagnosis.causes.entries()) {
    const reproduction =
      place < mostReproduced ? await reproductionOf(history, each.cause, each.seqs) : undefined;
    const title = titles.get(each.checks[0] as CheckId);
    if (reproduction === undefined || title === undefined) causes.push(each);
    else {
      const lines = [...reproduction.lines, `# Expected: ${title}.`].flatMap(folded);
      causes.push({ ...each, reproduction: { ...reproduction, lines } });
    }
  }
  return { ...diagnosis, causes };
}

/** How to show a cause with `curl`; undefined where no request of the run shows it, nor many at once would. */
export async function reproductionOf(
  history: History,
  cause: Cause,
  seqs: readonly number[],
): Promise<Reproduction | undefined> {
  const burst = kindOf(cause).burst?.(cause.params as Params);
  if (burst !== undefined) {
    const { quota, rate_limit } = history.profile;
    const isLimit = burst.past === 'limit';
    const key = isLimit ? 'load' : quotaKeyOf(await rowsOf(history, seqs));
    const example = await anyOpening(history, key);
    const promised = isLimit ? rate_limit.requests : quota.sessions;
    if (example === undefined || promised === undefined) return undefined;
    const before = isLimit
      ? [`# Wait ${seconds(rate_limit.windowMs)} without requests on this key.`]
      : [
          '# Use a key whose quota is unspent. The catalog has to exist in its account:',
          importOf(example),
          '# Then create the sessions:',
        ];
    const lines = burstOf(burst, Math.ceil(promised * burst.factor), example);
    const ofWhat = burst.pauseMs === undefined ? '' : ' in the first and in the last burst';
    const due = `# A correct service answers ${number(promised)} times 2xx${ofWhat}, then ${isLimit ? 429 : 402}.`;
    const settings = withSettings(history, [...before, ...lines, due]);
    return { lines: isLimit ? settings : settings.map(unspentKey), seqs };
  }
  const lines: string[] = [];
  let open = '';
  const fewest = fewestOf(await rowsOf(history, seqs));
  for (const row of fewest) {
    const request = await sendable(history, row);
    const session = row.session_id;
    const opening =
      needsSession(request) && session !== null ? await openingFor(history, session) : undefined;
    if (opening !== undefined && session !== null && session !== open) {
      lines.push(...openingOf(opening));
      open = session;
    }
    lines.push(curlOf(request), `# seq ${row.seq} got ${gotOf(row)}`);
  }
  return lines.length === 0
    ? undefined
    : { lines: withSettings(history, lines), seqs: fewest.map(({ seq }) => seq) };
}

/** The key that the quota was exceeded on: the one of most of these requests. */
function quotaKeyOf(rows: readonly RequestRow[]): 'quota' | 'twin' {
  const twins = rows.filter(({ credential }) => credential === 'twin').length;
  return twins > rows.length / 2 ? 'twin' : 'quota';
}

/** The key of the run has spent its quota; one of the same pricing plan shows the same. */
function unspentKey(line: string): string {
  return line.replace(/=… {2}# the (quota|twin) key$/, '=…  # a key of the same pricing plan as the $1 key');
}

/** One request of each sort; the same request twice, where it is in the answers that they differ. */
function fewestOf(rows: readonly RequestRow[]): RequestRow[] {
  const sortOf = ({ credential, endpoint, probe, query }: RequestRow): string =>
    JSON.stringify([endpoint, credential, probe, Object.keys(queryOf(query))]);
  const kept: RequestRow[] = [];
  for (const row of rows) {
    const alike = kept.filter((each) => sortOf(each) === sortOf(row));
    const isRepeated = row.query !== null && alike.length === 1 && alike[0]?.query === row.query;
    if (alike.length === 0 || isRepeated) kept.push(row);
  }
  return kept;
}

function queryOf(query: string | null): Readonly<Record<string, string>> {
  const read = parsed.safeParse(query === null ? {} : JSON.parse(query));
  return read.success ? read.data : {};
}

function withSettings(history: History, lines: readonly string[]): string[] {
  const variables = [...new Set(lines.flatMap((line) => line.match(/\$(?:[A-Z]+_)?KEY\b/g) ?? []))];
  return [
    ...servedAgain(history),
    `BASE_URL=${history.run.target.kind === 'foreign' ? history.run.target.base_url : `http://127.0.0.1:${servedPort}/v1`}`,
    ...variables.map((name) => `${name.slice(1)}=…  # ${meaningOf(name)}`),
    ...lines,
  ];
}

/** How to start the embedded service again, which ended with its run. An older run does not say what was planted. */
function servedAgain({ profile, run: { planted, target } }: History): string[] {
  if (target.kind === 'foreign') return [];
  const { quota, rate_limit } = profile;
  const options = [
    `--port ${servedPort}`,
    ...(planted?.defects ?? []).map((id) => `--defect ${id}`),
    ...(planted?.variants ?? []).map((name) => `--variant ${name}`),
    `--rate-limit ${rate_limit.requests}/${rate_limit.windowMs / 1e3}s`,
    ...(quota.sessions === undefined ? [] : [`--plan quota=${quota.sessions}`]),
  ];
  return [
    `# The embedded service ended with the run. Start it again in another terminal${planted === undefined ? ', with the --defect of the run, if any' : ''}:`,
    `# npx tryon serve ${options.join(' ')}`,
    '# It prints its keys: use them below. It has none of the data of the run.',
  ];
}

function meaningOf(variable: string): string {
  const role = (['load', 'quota', 'twin', 'bystander'] as const).find((each) => keyOf(each) === variable);
  return role === undefined ? 'a key that resembles a valid one' : `the ${role} key`;
}

function needsSession({ endpoint, probe }: Sendable): boolean {
  return endpoint === 'interact' || (endpoint === 'read-session' && probe?.includes('unknown') !== true);
}

function gotOf({ body, lost, status }: RequestRow): string {
  if (status === null) return `no answer (${lost ?? 'lost'})`;
  if (body === null) return String(status);
  const flat = body.replaceAll(/\s+/g, ' ');
  if (flat.length <= mostBody) return `${status} ${flat}`;
  // Not in the middle of a word, if there is another place.
  const begun = flat.slice(0, mostBody);
  const whole = begun.slice(0, Math.max(begun.lastIndexOf(','), begun.lastIndexOf(' ')) + 1);
  return `${status} ${whole || begun}…`;
}

function rowsOf(history: History, seqs: readonly number[]): Promise<RequestRow[]> {
  if (seqs.length === 0) return Promise.resolve([]);
  return history.rows(
    requestRow,
    `SELECT r.seq, r.endpoint, r.credential, r.probe, r.session_id, r.product_id, r.catalog_id, r.locale, r.items, r.status,
       r.lost, a.query::VARCHAR AS query, a.body::VARCHAR AS body
     FROM requests r LEFT JOIN answers a USING (seq)
     WHERE r.seq IN (${seqs.join(', ')}) AND r.not_sent IS NULL ORDER BY r.seq`,
  );
}

async function sendable(history: History, row: RequestRow): Promise<Sendable> {
  const interactions =
    row.endpoint === 'interact'
      ? await history.rows(
          interactionRow,
          `SELECT seq, id, type, sku, "at" FROM interactions WHERE seq = ${row.seq}`,
        )
      : [];
  const { channel } = history.profile;
  return {
    ...row,
    channelPath: typeof channel === 'string' || channel.path === 'discover' ? usualPath : channel.path,
    query: queryOf(row.query),
    interactions: interactions.map(({ at, id, sku, type }) => ({ id, type, sku, at })),
  };
}

const openings = `SELECT session_id, credential, product_id, catalog_id, locale FROM requests
  WHERE endpoint = 'create-session' AND product_id IS NOT NULL AND catalog_id IS NOT NULL AND locale IS NOT NULL`;

async function openingFor(history: History, sessionId: string): Promise<Opening | undefined> {
  const literal = `'${sessionId.replaceAll("'", "''")}'`;
  return (await history.rows(openingRow, `${openings} AND session_id = ${literal} LIMIT 1`))[0];
}

async function anyOpening(
  history: History,
  credential: 'load' | 'quota' | 'twin',
): Promise<Opening | undefined> {
  return (
    await history.rows(openingRow, `${openings} AND credential = '${credential}' ORDER BY seq LIMIT 1`)
  )[0];
}
