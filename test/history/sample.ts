import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addColumnarCopy } from '../../src/history/columnar.ts';
import { type History, openHistory } from '../../src/history/history.ts';
import type {
  AnswerRecord,
  CatalogRecord,
  EventRecord,
  InteractionRecord,
  RequestRecord,
} from '../../src/history/record.ts';
import type { RunInfo } from '../../src/history/run.ts';
import { HistoryWriter } from '../../src/history/writer.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';

/** A history written by hand, for a check to judge. What a test leaves out gets a plain default. */
export interface SampleHistory {
  readonly run?: Partial<RunInfo>;
  readonly profile?: ProfileInput;
  /** `seq` defaults to the place in the list, from 1. */
  readonly requests?: readonly SampleRequest[];
  readonly interactions?: readonly InteractionRecord[];
  readonly answers?: readonly AnswerRecord[];
  readonly catalog?: readonly CatalogRecord[];
  readonly events?: readonly EventRecord[];
  /** It gets a copy by columns, as a long one does, its sessions gathered in several parts. */
  readonly copied?: boolean;
}

export type SampleRequest = Partial<RequestRecord> & Pick<RequestRecord, 'endpoint'>;

export const sampleRun: RunInfo = {
  schema_version: 1,
  id: 'sample',
  scenario: { name: 'sample', title: 'A history written by hand' },
  seed: 1,
  zero_epoch_ms: Date.UTC(2026, 4, 1, 12),
  target: { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' },
  profile: {},
  keys: {},
  checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
  slo: [],
  phases: [],
  planned_requests: 0,
  quota_attempts: 0,
  catalogs: [],
  products: [],
  budget: [],
  minutes: 1,
  versions: {},
  machine: { platform: 'linux', cpus: 2, memory_gib: 4 },
  ended: { at_epoch_ms: Date.UTC(2026, 4, 1, 12, 1), how: 'completed' },
};

/** Fills in a request: sent when intended, answered 5 ms later with 200, unless told otherwise. */
export function sampleRequest(request: SampleRequest, seq: number): RequestRecord {
  const intendedNs = request.intendedNs ?? request.sentNs ?? seq * 1e6;
  const unsent = request.notSent !== undefined;
  const answered = request.lost === undefined && !unsent;
  return {
    seq,
    stage: 'load',
    phase: 'phase',
    credential: 'load',
    intendedNs,
    readyNs: intendedNs,
    ...(unsent ? {} : { sentNs: intendedNs, answeredNs: (request.sentNs ?? intendedNs) + 5e6 }),
    ...(answered ? { status: 200 } : {}),
    ...request,
  };
}

/** Writes `run.json` and the history with the real writer into a folder. */
export async function writeRun(sample: SampleHistory, dir: string): Promise<void> {
  // As the profile of the service that a run starts says.
  const own = { exclusive_keys: sample.run?.target?.kind === 'embedded' };
  const profile = { ...profileSchema.parse({ ...own, ...sample.profile }) };
  const run = { ...sampleRun, ...sample.run, profile };
  await writeFile(join(dir, 'run.json'), JSON.stringify(run));
  const writer = await HistoryWriter.create(dir);
  sample.requests?.forEach((request, index) => {
    writer.request(sampleRequest(request, request.seq ?? index + 1));
  });
  for (const record of sample.interactions ?? []) writer.interaction(record);
  for (const record of sample.answers ?? []) writer.answer(record);
  for (const record of sample.catalog ?? []) writer.catalog(record);
  for (const record of sample.events ?? []) writer.event(record);
  await writer.close();
  if (sample.copied === true) await addColumnarCopy(dir, 1, { fromBytes: 0, partBytes: 4_096 });
}

/** Writes the history with the real writer into a temporary folder, opens it for `judge`, and removes it. */
export async function withHistory<T>(
  sample: SampleHistory,
  judge: (history: History) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'tryon-history-'));
  try {
    await writeRun(sample, dir);
    const history = await openHistory(dir);
    try {
      return await judge(history);
    } finally {
      history.close();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
