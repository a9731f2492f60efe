import { spelled } from '../../../target/client.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { spellings } from '../../../vocabulary/probes.ts';
import type { Credential, Endpoint } from '../../../vocabulary/requests.ts';
import type { Timed } from '../../causes/kind.ts';

/** What a history knows of a request, as far as it can be sent again. */
export interface Sendable {
  readonly endpoint: Endpoint;
  readonly credential: Credential;
  readonly probe: Probe | null;
  readonly session_id: string | null;
  readonly product_id: string | null;
  readonly catalog_id: string | null;
  readonly locale: string | null;
  /** Shades in the body. */
  readonly items: number | null;
  /** Parameters of an analytics request. */
  readonly query: Readonly<Record<string, string>>;
  /** Interactions in the body. */
  readonly interactions: readonly object[];
  /** Where interactions go, below the base URL, with `{session_id}` in it. */
  readonly channelPath: string;
}

/** A request with nothing but this. */
export function sendableOf(known: Pick<Sendable, 'endpoint'> & Partial<Sendable>): Sendable {
  const ids = { session_id: null, product_id: null, catalog_id: null, locale: null };
  const body = { items: null, query: {}, interactions: [], channelPath: '' };
  return { ...ids, ...body, credential: 'load', probe: null, ...known };
}

/** A session that requests need before they can be sent. */
export interface NeededSession {
  readonly credential: Credential;
  readonly product_id: string;
  readonly catalog_id: string;
  readonly locale: string;
}

export const json = `-H 'Content-Type: application/json'`;

/** What `curl` prints: the whole answer, its status alone, or the seconds that it took. */
export const prints = {
  answer: '-i',
  status: `-o /dev/null -w '%{http_code}\\n'`,
  seconds: `-o /dev/null -w '%{time_total}\\n'`,
} as const;
type CurlOutput = keyof typeof prints;

/** One `curl` command, for a shell in which `BASE_URL`, the keys, and `SESSION` and `TOKEN` are set. */
export function curlOf(request: Sendable, printed: CurlOutput = 'answer'): string {
  const parts = [prints[printed], ...authOf(request), ...forwardedOf(request), ...targetOf(request)];
  return `curl -sS ${parts.join(' ')}`;
}

/** Commands that open a session, and set `SESSION` and `TOKEN`. */
export function openingOf(opening: NeededSession): string[] {
  const field = (name: string): string => `$(echo "$GRANT" | sed 's/.*"${name}": *"\\([^"]*\\)".*/\\1/')`;
  return [
    `GRANT=$(curl -sS ${bearer(keyOf(opening.credential))} ${sessionTarget(opening).join(' ')})`,
    `SESSION=${field('session_id')}`,
    `TOKEN=${field('token')}`,
  ];
}

const anyShade = { sku: 'R1', name: 'R', hex: '#112233', finish: 'matte' };

/** Imports shades into a catalog, so that it exists: a number of them with the SKUs R1, R2 …, or a list. */
export function importOf(
  { catalog_id, credential }: Pick<NeededSession, 'catalog_id' | 'credential'>,
  imported: number | readonly object[] = [anyShade],
): string {
  const target =
    typeof imported === 'number'
      ? importTarget(catalog_id, imported)
      : [json, `-d ${quoted(JSON.stringify({ catalog_id, shades: imported }))}`, url('/shades')];
  return `curl -sS ${prints.status} ${bearer(keyOf(credential))} ${target.join(' ')}`;
}

/** The same request many times; prints the seconds that the three slowest took. */
export function timesOf(request: Sendable, { atOnce, requests }: Timed): string {
  return `${repeated(curlOf(request, 'seconds'), requests, atOnce)} | sort -n | tail -n 3`;
}

/** Requests of a burst that are in flight at the same time. */
const inFlight = 50;

/** The same request at the same time, counted by status, and twice more after pauses if there are any. */
export function burstOf(request: Sendable, requests: number, pauseMs: number | undefined): string[] {
  const burst = `${repeated(curlOf(request, 'status'), requests, inFlight)} | sort | uniq -c`;
  const pause = `sleep ${(pauseMs ?? 0) / 1e3}`;
  return pauseMs === undefined ? [burst] : [burst, pause, burst, pause, burst];
}

/** One process of curl, which reuses connections; a shell would start processes too slowly. It does not send what follows #. */
function repeated(command: string, requests: number, atOnce: number): string {
  const options = `-Z --parallel-immediate --parallel-max ${atOnce} --no-progress-meter`;
  return command.replace(/^curl -sS/, `curl -sS ${options}`).replace(/"$/, `#[1-${requests}]"`);
}

/** The variable that holds a credential. */
export function keyOf(credential: Credential): string {
  switch (credential) {
    case 'load':
    case 'pool':
      return '$KEY';
    case 'quota':
      return '$QUOTA_KEY';
    case 'twin':
      return '$TWIN_KEY';
    case 'bystander':
      return '$BYSTANDER_KEY';
    case 'session':
      return '$TOKEN';
    case 'bad':
      return 'not-a-key';
    case 'none':
      return '';
  }
}

function authOf({ credential, probe }: Sendable): string[] {
  if (credential === 'none') return [];
  return [bearer(probe?.startsWith('near-key:') === true ? '$NEAR_KEY' : keyOf(credential))];
}

export function bearer(key: string): string {
  return `-H "Authorization: Bearer ${key}"`;
}

function forwardedOf({ probe }: Sendable): string[] {
  if (probe !== 'scope:forwarded') return [];
  const fields = ['X-Forwarded-For', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP'];
  return [...fields.map((name) => `-H '${name}: 203.0.113.7'`), `-H 'Forwarded: for=203.0.113.7'`];
}

/** With the path as it was spelled. */
function targetOf(request: Sendable): string[] {
  const { probe = '' } = request;
  const spelling =
    probe === 'scope:spelled'
      ? 'trailing-slash'
      : spellings.find((each) => probe?.startsWith(`spelled:${each}:`) === true);
  const plain = plainTargetOf(request);
  return spelling === undefined
    ? plain
    : [
        ...(spelling === 'head' ? ['-I'] : []),
        ...plain.map((part) => part.replace(/(?<=\$BASE_URL)[^"]+/, (path) => spelled(path, spelling))),
      ];
}

function plainTargetOf(request: Sendable): string[] {
  const { catalog_id, items, probe, session_id } = request;
  switch (request.endpoint) {
    case 'create-session':
      return sessionTarget({
        product_id: request.product_id ?? 'p-1',
        catalog_id: catalog_id ?? 'c-1',
        locale: request.locale ?? 'en-US',
      });
    case 'read-session':
      return [
        probe?.includes('unknown') === true
          ? url(`/sessions/${encodeURIComponent(session_id ?? 'no-such-session')}`)
          : url('/sessions/$SESSION'),
      ];
    case 'list-shades':
      return [url(`/shades?catalog_id=${encodeURIComponent(catalog_id ?? '')}`)];
    case 'import-shades':
      return importTarget(catalog_id ?? 'c-1', items ?? 1);
    case 'analytics':
      return [url(`/analytics/sessions?${new URLSearchParams(request.query).toString()}`)];
    case 'interact':
      return [
        json,
        `-d ${quoted(JSON.stringify({ interactions: request.interactions }))}`,
        url(request.channelPath.replaceAll('{session_id}', '$SESSION')),
      ];
  }
}

function sessionTarget(body: Pick<NeededSession, 'product_id' | 'catalog_id' | 'locale'>): string[] {
  const { catalog_id, locale, product_id } = body;
  return [json, `-d ${quoted(JSON.stringify({ product_id, catalog_id, locale }))}`, url('/sessions')];
}

function importTarget(catalogId: string, count: number): string[] {
  const start = inDouble(`{"catalog_id":${JSON.stringify(catalogId)},"shades":[`);
  return [json, `-d "${start}${shades(count)}]}"`, url('/shades')];
}

/** Shades, made by the shell. */
function shades(count: number): string {
  return `$(seq -s, -f '{"sku":"R%.0f","name":"R","hex":"#112233","finish":"matte"}' ${count})`;
}

export function url(path: string): string {
  return `"$BASE_URL${path}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Text that stays as it is within double quotes. */
function inDouble(text: string): string {
  return text.replaceAll(/[\\"$`]/g, '\\$&');
}
