import type { Credential, Endpoint } from '../../vocabulary/requests.ts';
import type { Burst } from './kind.ts';

/** What a history knows of a request, as far as it can be sent again. */
export interface Sendable {
  readonly endpoint: Endpoint;
  readonly credential: Credential;
  readonly probe: string | null;
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

/** A session that requests need before they can be sent. */
export interface Opening {
  readonly credential: Credential;
  readonly product_id: string;
  readonly catalog_id: string;
  readonly locale: string;
}

const json = `-H 'Content-Type: application/json'`;

/** One `curl` command, for a shell in which `BASE_URL`, the keys, and `SESSION` and `TOKEN` are set. */
export function curlOf(request: Sendable): string {
  return `curl -sS -i ${[...authOf(request), ...forwardedOf(request), ...targetOf(request)].join(' ')}`;
}

/** Commands that open a session, and set `SESSION` and `TOKEN`. */
export function openingOf(opening: Opening): string[] {
  const field = (name: string): string => `$(echo "$GRANT" | sed 's/.*"${name}": *"\\([^"]*\\)".*/\\1/')`;
  return [
    `GRANT=$(curl -sS ${bearer(keyOf(opening.credential))} ${sessionTarget(opening).join(' ')})`,
    `SESSION=${field('session_id')}; TOKEN=${field('token')}`,
  ];
}

/** Imports one shade into the catalog of a session, so that the catalog exists. */
export function importOf({ catalog_id, credential }: Opening): string {
  return `curl -sS -i ${bearer(keyOf(credential))} ${importTarget(catalog_id, 1).join(' ')}`;
}

/** Requests at the same time, counted by status, and twice more after pauses if there are any. */
export function burstOf({ past, pauseMs }: Burst, requests: number, example: Opening): string[] {
  const target =
    past === 'limit'
      ? [url(`/shades?catalog_id=${encodeURIComponent(example.catalog_id)}`)]
      : sessionTarget(example);
  const curl = `curl -sS -o /dev/null -w '%{http_code}\\n' ${bearer(keyOf(example.credential))} ${target.join(' ')}`;
  const burst = `seq ${requests} | xargs -P 20 -I{} ${curl} | sort | uniq -c`;
  const pause = `sleep ${(pauseMs ?? 0) / 1e3}`;
  return pauseMs === undefined ? [burst] : [burst, pause, burst, pause, burst];
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

function bearer(key: string): string {
  return `-H "Authorization: Bearer ${key}"`;
}

function forwardedOf({ probe }: Sendable): string[] {
  return probe === 'scope:forwarded' ? [`-H 'X-Forwarded-For: 203.0.113.7'`] : [];
}

function targetOf(request: Sendable): string[] {
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

function sessionTarget(body: Pick<Opening, 'product_id' | 'catalog_id' | 'locale'>): string[] {
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

function url(path: string): string {
  return `"$BASE_URL${path}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Text that stays as it is within double quotes. */
function inDouble(text: string): string {
  return text.replaceAll(/[\\"$`]/g, '\\$&');
}
