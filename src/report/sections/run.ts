import { counted, number, span } from '../../amounts.ts';
import { kindText } from '../../checks/reasons/words/limits.ts';
import type { RunInfo } from '../../history/run.ts';
import { limitText } from '../../vocabulary/quantities.ts';
import { planName } from '../answer.ts';
import {
  code,
  foreign,
  heading,
  nothing,
  paragraph,
  queried,
  type ReportFigure,
  type Text,
  t,
  table,
} from '../figure.ts';
import type { Section } from '../section.ts';
import { perWindow, shellWord, utc, visible } from '../text.ts';

/** The target's promises, what the run found out about it, and what the run created there. */
export const targetSection: Section = {
  id: 'target',
  title: 'The target',
  about: [],
  make: async ({ history }) => {
    const { limit_scope, limiter, name, quota, rate_limit } = history.profile;
    const found = await queried(
      history,
      'What the interface does not show, with its evidence',
      [
        ['What', "json_extract_string(event, '$.what')", 'foreign'],
        ['Value', "json_extract_string(event, '$.value')", 'code'],
        ['Record (seq)', "TRY_CAST(json_extract(event, '$.seq') AS BIGINT)", 'seq'],
      ],
      { from: "events WHERE kind = 'discovered'", after: 'ORDER BY c0, c2 LIMIT 200' },
    );
    return [
      heading('Promised'),
      {
        kind: 'facts',
        entries: [
          ['Profile', foreign(name)],
          ['Rate limit', perWindow(rate_limit.requests, rate_limit.windowMs)],
          ['Limiter', kindText(limiter)],
          ['Scope of the limit', limit_scope],
          ['Session quota', quota.sessions === undefined ? 'not stated' : counted(quota.sessions, 'session')],
        ],
      },
      heading('Discovered'),
      found ?? nothing('The run found nothing about the target beyond its profile.'),
      heading('Created'),
      paragraph(created(history.run)),
    ];
  },
};

function created({ catalogs, id, products }: RunInfo): Text {
  if (catalogs.length === 0 && products.length === 0) return 'The run created no catalogs and no products.';
  const shades = catalogs.reduce((sum, catalog) => sum + catalog.shades, 0);
  return t`${counted(catalogs.length, 'catalog')} with ${counted(shades, 'shade')}, and sessions of ${counted(products.length, 'product')}. Their ids contain the run’s tag ${code(id)}; ${code('run.json')} lists them. The interface has no request that deletes them.`;
}

/** How the run was made, and the commands that repeat it and check it. */
export const madeSection: Section = {
  id: 'made',
  title: 'The run',
  about: [],
  make: async ({ history }) => {
    const { integrity, run } = history;
    const { quota, rate_limit: limit } = history.profile;
    const { file, name } = run.scenario;
    const isShipped = file === undefined || file === `${name}.ts` || file === `${name}.js`;
    const scale = run.asked?.scale === undefined ? '' : ` --scale ${run.asked.scale}`;
    const target = run.target.kind === 'foreign' ? ` --target ${shellWord(run.target.base_url)}` : '';
    const promises = ` --rate-limit ${limitText(limit)}${quota.sessions === undefined ? '' : ` --quota ${quota.sessions}`}`;
    return [
      {
        kind: 'facts',
        entries: [
          ['Scenario', foreign(`${run.scenario.name}: ${run.scenario.title}`)],
          ['Plan', planName(run)],
          ['Began', utc(run.zero_epoch_ms)],
          ['Ended', run.ended ? `${utc(run.ended.at_epoch_ms)} (${run.ended.how})` : 'not recorded'],
          ['Machine', machineText(run.machine)],
          [
            'Workers',
            run.workers === undefined ? 'none' : `${number(run.workers)} threads shared the planned load`,
          ],
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
        ],
      },
      run.shards === undefined ? undefined : shardsTable(run.shards),
      run.phases.length === 0
        ? nothing('No phase was planned: a study chooses each request by earlier answers.')
        : table(
            'Phases as planned',
            run.phases,
            [
              ['Phase', (phase) => foreign(phase.name)],
              ['Key', (phase) => phase.role],
              ['Pace', (phase) => foreign(`${phase.pace} ${phase.unit}`)],
              ['From', (phase) => span(phase.start_ns / 1e6), 'number'],
              ['For', (phase) => span((phase.end_ns - phase.start_ns) / 1e6), 'number'],
            ],
            (phase) => ({ time: { fromNs: phase.start_ns, toNs: phase.end_ns } }),
          ),
      heading('Repeat it'),
      {
        kind: 'shell',
        lines: [
          // A scenario that comes along goes by its name; where another lies is not on record.
          `npx tryon run ${shellWord(isShipped ? name : `path/to/${file}`)} --seed ${run.seed}${scale}${target}${promises}`,
        ],
      },
      paragraph(
        run.target.kind === 'embedded'
          ? 'Use the same profile, --max-… limits, --defect and --variant as in this run, if it had any.'
          : 'Use the same keys (--key), profile and --max-… limits as in this run.',
      ),
      heading('Judge it again'),
      paragraph('FOLDER is the folder of this report.'),
      { kind: 'shell', lines: ['npx tryon verify FOLDER', 'npx tryon report FOLDER'] },
      paragraph(
        t`${code(run.id)} is the run’s tag. The file run.json in this folder holds the plan, and the profile with all defaults.`,
      ),
    ];
  },
};

/** The programs that shared the planned load, what became of each, and how far its clock may be wrong. */
function shardsTable(shards: NonNullable<RunInfo['shards']>): ReportFigure {
  return table(`Shards: ${number(shards.length)} programs shared the planned load`, shards, [
    ['Shard', (_, place) => number(place + 1), 'number'],
    ['Records', ({ state }) => state],
    ['Ended', ({ ended }) => ended],
    [
      'Instants exact to',
      ({ clock_error_ns: ns }) => ns !== undefined && `${number(Math.ceil(ns / 1e5) / 10)} ms`,
      'number',
    ],
    ['Address', ({ address }) => address],
    ['Machine', ({ machine }) => machine && machineText(machine)],
  ]);
}

function machineText({ cpus, memory_gib: gib, platform }: RunInfo['machine']): string {
  return `${platform}, ${number(cpus)} CPUs, ${number(gib)} GiB`;
}
