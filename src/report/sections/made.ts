import { number, span } from '../../amounts.ts';
import type { RunInfo } from '../../history/run.ts';
import { utc } from '../format.ts';
import { code, foreign, type Html, html } from '../markup.ts';
import { facts, type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import { shellWord, visible } from '../text.ts';

/** How many shards there were, what became of them, and how far their clocks may be apart. */
function shardsText(shards: NonNullable<RunInfo['shards']>): string {
  const lost = shards.flatMap(({ state }, n) => (state === 'whole' ? [] : [`shard ${n + 1} ${state}`]));
  const errorsMs = shards.map(({ clock_error_ns: errorNs = 0 }) => errorNs / 1e6);
  const clocks = `instants exact to ${number(Math.ceil(Math.max(...errorsMs) * 10) / 10)} ms`;
  return [`${number(shards.length)} programs shared the planned load`, ...lost, clocks].join(', ');
}

/** How the run was made, and the commands that repeat it and check it. */
export const madeSection: Section = { id: 'made', title: 'The run', make };

async function make({ history }: SectionInput): Promise<SectionBody> {
  const { run, integrity } = history;
  const target = run.target.kind === 'foreign' ? ` --target ${shellWord(run.target.base_url)}` : '';
  const { rate_limit: limit, quota } = history.profile;
  const promises = ` --rate-limit ${limit.requests}/${windowWord(limit.windowMs)}${quota.sessions === undefined ? '' : ` --quota ${quota.sessions}`}`;
  const repeatNote =
    run.target.kind === 'embedded'
      ? 'Use the same profile, --max-… limits, --defect and --variant as in this run, if it had any.'
      : 'Use the same keys (--key), profile and --max-… limits as in this run.';
  return {
    body: html`${facts([
      ['Scenario', foreign(`${run.scenario.name}: ${run.scenario.title}`)],
      ['Seed', String(run.seed)],
      ['Began', utc(run.zero_epoch_ms)],
      ...(run.ended === undefined
        ? []
        : ([['Ended', `${utc(run.ended.at_epoch_ms)} (${run.ended.how})`]] as const)),
      [
        'Machine',
        `${run.machine.platform}, ${number(run.machine.cpus)} CPUs, ${number(run.machine.memory_gib)} GiB`,
      ],
      ...(run.shards === undefined ? [] : ([['Shards', shardsText(run.shards)]] as const)),
      ...(run.workers === undefined
        ? []
        : ([['Workers', `${number(run.workers)} threads shared the planned load`]] as const)),
      [
        'Versions',
        Object.entries(run.versions)
          .map(([name, version]) => `${visible(name)} ${visible(version)}`)
          .join(', ') || 'not recorded',
      ],
      [
        'Keys',
        Object.entries(run.keys)
          .map(([role, key]) => `${role}: ${visible(key.from)} (${visible(key.fingerprint)})`)
          .join(', ') || 'none',
      ],
      ['History', integrity.kind],
    ])}
${
  run.phases.length === 0
    ? html`<p class="none">No phase was planned: a study chooses each request by earlier answers.</p>`
    : phasesTable(run.phases)
}
<h3>Repeat it</h3>
<pre><code>${`npx tryon run ${scenarioArgument(run.scenario)} --seed ${run.seed}${target}${promises}`}</code></pre>
<p>${repeatNote}</p>
<h3>Judge it again</h3>
<p>FOLDER is the folder of this report.</p>
<pre><code>npx tryon verify FOLDER
npx tryon report FOLDER</code></pre>
<p>${code(run.id)} is the run’s tag. The file run.json in this folder holds the plan, and the profile with all defaults.</p>`,
  };
}

function phasesTable(phases: SectionInput['history']['run']['phases']): Html {
  return table(
    'Phases as planned',
    phases,
    [
      ['Phase', (phase) => foreign(phase.name)],
      ['Key', (phase) => phase.role],
      ['Pace', (phase) => foreign(`${phase.pace} ${phase.unit}`)],
      ['From', (phase) => span(phase.start_ns / 1e6), 'number'],
      ['For', (phase) => span((phase.end_ns - phase.start_ns) / 1e6), 'number'],
    ],
    (phase) => ({ fromNs: phase.start_ns, toNs: phase.end_ns }),
  );
}

/** `1m` for 60,000: the longest unit that fits, as the command line takes it. */
function windowWord(windowMs: number): string {
  if (windowMs % 60_000 === 0) return `${windowMs / 60_000}m`;
  return windowMs % 1_000 === 0 ? `${windowMs / 1_000}s` : `${windowMs}ms`;
}

/** A scenario that comes along goes by its name; where another lies is not on record. */
function scenarioArgument({
  file,
  name,
}: {
  readonly file?: string | undefined;
  readonly name: string;
}): string {
  return shellWord(
    file === undefined || file === `${name}.ts` || file === `${name}.js` ? name : `path/to/${file}`,
  );
}
