import type { History } from '../../../history/history.ts';
import { limitText } from '../../../vocabulary/quantities.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';

/** A session that can be opened, and its key. */
export interface NeededSession {
  readonly credential: Role;
  readonly product_id: string;
  readonly catalog_id: string;
  readonly locale: string;
}

export const json = `-H 'Content-Type: application/json'`;

const printsStatus = `-o /dev/null -w '%{http_code}\\n'`;

/** The variable that holds the key of a role. */
export const keyOf: Readonly<Record<Role, string>> = {
  load: '$KEY',
  quota: '$QUOTA_KEY',
  twin: '$TWIN_KEY',
  bystander: '$BYSTANDER_KEY',
};

/** The parts of a command that send one request: what `burstOf` and `statusOf` are given. */
export const sessionRequest = (session: NeededSession): string =>
  `${bearer(keyOf[session.credential])} ${sessionTarget(session)}`;

export const shadesRequest = ({ catalog_id, credential }: NeededSession): string =>
  `${bearer(keyOf[credential])} ${url(`/shades?catalog_id=${encodeURIComponent(catalog_id)}`)}`;

/** An interaction request without events, in the session that `openingOf` opens. `path`: with `{session_id}` in it. */
export const interactRequest = (path: string): string =>
  `${bearer('$TOKEN')} ${json} -d '{"interactions":[]}' ${url(path.replaceAll('{session_id}', '$SESSION'))}`;

/** Prints the status of one request. */
export const statusOf = (request: string): string => `curl -sS ${printsStatus} ${request}`;

/** Commands that open a session, and set `SESSION` and `TOKEN`. */
export function openingOf(session: NeededSession): string[] {
  const field = (name: string): string => `$(echo "$GRANT" | sed 's/.*"${name}": *"\\([^"]*\\)".*/\\1/')`;
  return [
    `GRANT=$(curl -sS ${sessionRequest(session)})`,
    `SESSION=${field('session_id')}`,
    `TOKEN=${field('token')}`,
  ];
}

/** Imports a shade into a catalog, so that it exists. */
export function importOf({ catalog_id, credential }: NeededSession): string {
  const shades = [{ sku: 'R1', name: 'R', hex: '#112233', finish: 'matte' }];
  const body = quoted(JSON.stringify({ catalog_id, shades }));
  return statusOf(`${bearer(keyOf[credential])} ${json} -d ${body} ${url('/shades')}`);
}

/** Requests of a burst that are in flight at the same time. */
const inFlight = 50;

/** The same request at the same time, counted by status, and twice more after pauses if there are any. */
export function burstOf(request: string, requests: number, pauseMs: number | undefined): string[] {
  // One process of curl, which reuses connections; a shell would start processes too slowly. It does not send what follows #.
  const options = `-Z --parallel-immediate --parallel-max ${inFlight} --no-progress-meter`;
  const many = request.replace(/"$/, `#[1-${requests}]"`);
  const burst = `curl -sS ${options} ${printsStatus} ${many} | sort | uniq -c`;
  const pause = `sleep ${(pauseMs ?? 0) / 1e3}`;
  return pauseMs === undefined ? [burst] : [burst, pause, burst, pause, burst];
}

export function bearer(key: string): string {
  return `-H "Authorization: Bearer ${key}"`;
}

function sessionTarget({ catalog_id, locale, product_id }: NeededSession): string {
  return `${json} -d ${quoted(JSON.stringify({ product_id, catalog_id, locale }))} ${url('/sessions')}`;
}

export function url(path: string): string {
  return `"$BASE_URL${path}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Where the embedded service is started again. */
const servedPort = 8080;

/** Commands after what they need: the service, its address, and the keys that they name. */
export function withSettings(history: History, lines: readonly string[]): string[] {
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
    `--rate-limit ${limitText(rate_limit)}`,
    ...(quota.sessions === undefined ? [] : [`--plan quota=${quota.sessions}`]),
  ];
  return [
    `# The embedded service ended with the run. Start it again in another terminal${planted === undefined ? ', with the --defect of the run, if any' : ''}:`,
    `# npx tryon serve ${options.join(' ')}`,
    '# It prints its keys: use them below. It has none of the data of the run.',
  ];
}

function meaningOf(variable: string): string {
  return `the ${roles.find((role) => keyOf[role] === variable) ?? ''} key`;
}

/** Whether the service ended with the run, so that it has to be started again and has no data. */
export function isEmbedded({ run }: History): boolean {
  return run.target.kind !== 'foreign';
}
