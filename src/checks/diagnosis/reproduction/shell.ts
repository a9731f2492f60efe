import type { History } from '../../../history/history.ts';
import { roles } from '../../../vocabulary/roles.ts';
import { keyOf } from './curl.ts';

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
  return `the ${roles.find((role) => keyOf[role] === variable) ?? ''} key`;
}

/** Whether the service ended with the run, so that it has to be started again and has no data. */
export function isEmbedded({ run }: History): boolean {
  return run.target.kind !== 'foreign';
}
