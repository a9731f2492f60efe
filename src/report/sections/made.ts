import { number, span } from '../../amounts.ts';
import type { RunInfo } from '../../history/run.ts';
import { utc } from '../format.ts';
import { code, foreign, type Html, html } from '../markup.ts';
import { facts, type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import { shellWord, visible } from '../text.ts';

/** The programs that shared the planned load, what became of each, and how far its clock may be wrong. */
function shardsTable(shards: NonNullable<RunInfo['shards']>): Html {
  return table(
    `Shards: ${number(shards.length)} programs shared the planned load`,
    shards.map((shard, n) => ({ ...shard, n: n + 1 })),
    [
      ['Shard', ({ n }) => number(n), 'number'],
      ['Records', ({ state }) => state],
      ['Ended', ({ ended }) => ended ?? ''],
      [
        'Instants exact to',
        ({ clock_error_ns: ns }) => (ns === undefined ? '' : `${number(Math.ceil(ns / 1e5) / 10)} ms`),
        'number',
      ],
      ['Address', ({ address }) => address ?? ''],
      ['Machine', ({ machine }) => (machine === undefined ? '' : machineText(machine))],
    ],
  );
}

function machineText({ cpus, memory_gib: gib, platform }: RunInfo['machine']): string {
  return `${platform}, ${number(cpus)} CPUs, ${number(gib)} GiB`;
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
      ['Machine', machineText(run.machine)],
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
${run.shards === undefined ? html`` : shardsTable(run.shards)}
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
