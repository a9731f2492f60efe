import { describe, expect, it } from 'vitest';
import { Meeting, type Note, seal, unseal, writeNote } from '../../../src/drive/gather/meeting.ts';
import type { GatherStore } from '../../../src/drive/gather/store.ts';
import type { RunInfo } from '../../../src/history/run.ts';
import { sampleRun } from '../../history/sample.ts';

/** A store in memory. */
function memoryStore(): GatherStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    place: 'memory',
    pollMs: 1,
    resolutionMs: 1,
    texts,
    create: async (name, text) => {
      if (texts.has(name)) return false;
      texts.set(name, text);
      return true;
    },
    read: async (name) => texts.get(name),
    names: async () => [...texts.keys()],
    time: async () => Date.now(),
  };
}

const patient = { startMs: 60_000, doneMs: 60_000 };
const impatient = { startMs: 0, doneMs: 0 };

function meet(store: GatherStore, of: number, patience = patient): Meeting[] {
  return Array.from({ length: of }, (_, n) => new Meeting(store, { index: n + 1, of }, patience));
}

function runOf(index: number, of: number, more: Partial<RunInfo> = {}): RunInfo {
  return { ...sampleRun, ...more, shard: { index, of, plan: 'digest' } };
}

const left = (granted: number): Note<'done'> => {
  const none = { seen: granted, drawn: [], ambiguous: [] };
  return { granted, tokens: 'sealed', sessions: { load: none, quota: none, twin: none, bystander: none } };
};

describe('shards of a run', () => {
  it('start at one instant, with the channel that the first has found, once all are ready', async () => {
    const [first, second, third] = meet(memoryStore(), 3) as [Meeting, Meeting, Meeting];
    await first.agree(runOf(1, 3));
    await second.agree(runOf(2, 3));
    const channel = { path: '/sessions/{session_id}/interactions', auth: 'api-key' } as const;
    const begun = first.begin({ channel }, () => 5e9);
    const others = Promise.all([second.awaitStart(), third.awaitStart()]);
    const startNs = await begun;
    expect(startNs).toBeGreaterThan(5e9);
    expect(await others).toEqual([
      { start_ns: startNs, channel },
      { start_ns: startNs, channel },
    ]);
  });

  it('wait for no shard that a fleet has lost before the load', async () => {
    const store = memoryStore();
    const [first, , third] = meet(store, 3) as [Meeting, Meeting, Meeting];
    const waiting = [first.begin({}, () => 0), third.awaitStart()];
    await writeNote(store, 'stop', 0, { by: 0, reason: 'error' });
    for (const each of waiting)
      await expect(each).rejects.toThrow('tryon fleet ended the run before its load: error');
  });

  it('hand over what is left to settle, and are not waited for in vain', async () => {
    const store = memoryStore();
    const [first] = meet(store, 3) as [Meeting];
    const [, second, third] = meet(store, 3) as [Meeting, Meeting, Meeting];
    await third.done(left(3));
    await second.done(left(2));
    expect((await first.awaitDone()).map(({ granted }) => granted)).toEqual([2, 3]);
    const alone = meet(memoryStore(), 3, impatient) as [Meeting, Meeting];
    await alone[1].done(left(4));
    expect((await alone[0].awaitDone()).map(({ granted }) => granted)).toEqual([4]);
  });

  it('hear which of them ended the load first, and why', async () => {
    const [first, second] = meet(memoryStore(), 2) as [Meeting, Meeting];
    expect(await first.stopped()).toBeUndefined();
    await second.stop('cap');
    await first.stop('interrupted');
    expect(await first.stopped()).toEqual({ by: 2, reason: 'cap' });
  });
});

describe('a shard ends before its first request, in one line', () => {
  it('in a folder that holds another run', async () => {
    const store = memoryStore();
    await (meet(store, 2)[0] as Meeting).agree(runOf(1, 2));
    await expect((meet(store, 2)[0] as Meeting).agree(runOf(1, 2))).rejects.toThrow(
      /--gather: memory holds another run already; a run needs a new folder/,
    );
  });

  it.each<[string, RunInfo, RegExp]>([
    [
      'with another seed',
      runOf(2, 2, { seed: 5 }),
      /shard 2 of 2 is not of the run in memory: seed: 5, not 1/,
    ],
    ['of another number of shards', runOf(2, 3), /number of shards: 3, not 2/],
    [
      'of another version',
      runOf(2, 2, { versions: { tryon: '2.0.0' } }),
      /the version of tryon: 2\.0\.0, not undefined/,
    ],
    [
      'with another profile',
      runOf(2, 2, { profile: { rate_limit: { requests: 5, windowMs: 1 } } }),
      /profile: rate_limit is \{"requests":5,"windowMs":1\}, not nothing/,
    ],
  ])('%s', async (_, run, says) => {
    const [first, second] = meet(memoryStore(), 2) as [Meeting, Meeting];
    await first.agree(runOf(1, 2));
    await expect(second.agree(run)).rejects.toThrow(says);
  });

  it('if the first has left no plan, or does not start', async () => {
    const [, second] = meet(memoryStore(), 2, impatient) as [Meeting, Meeting];
    await expect(second.plan()).rejects.toThrow(/shard 1 of 2 has left no plan in memory after 0 seconds/);
    await expect(second.awaitStart()).rejects.toThrow(
      /shard 1 of 2 has not started the load after 0 seconds/,
    );
  });

  it('if others are not ready, which are named', async () => {
    const [first, second] = meet(memoryStore(), 4, impatient) as [Meeting, Meeting];
    await second.awaitStart().catch(() => undefined);
    await expect(first.begin({}, () => 0)).rejects.toThrow(/shards 3, 4 of 4 are not ready after 0 seconds/);
  });

  it('if the store fails', async () => {
    const broken = async (): Promise<never> => {
      throw new Error('EIO: i/o error, write');
    };
    const store = { ...memoryStore(), create: broken, names: broken };
    const [first, second] = meet(store, 2) as [Meeting, Meeting];
    const says = /^--gather: memory: i\/o error \(EIO\)$/;
    await expect(first.agree(runOf(1, 2))).rejects.toThrow(says);
    await expect(second.done(left(1))).rejects.toThrow(says);
    await expect(first.awaitDone()).rejects.toThrow(says);
  });

  it('if another program is the same shard already', async () => {
    const store = memoryStore();
    const [first, second] = meet(store, 2) as [Meeting, Meeting];
    const twin = meet(store, 2)[1] as Meeting;
    await first.agree(runOf(1, 2));
    const agreed = await Promise.allSettled([second, twin].map((each) => each.agree(runOf(2, 2))));
    expect(agreed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(twin.agree(runOf(2, 2))).rejects.toThrow(
      /--shard: shard 2 of 2 is in memory already, and is not sent twice/,
    );
  });

  it('if a note is no note of this program', async () => {
    const store = memoryStore();
    store.texts.set('plan.json', '{"seed": 1}');
    const [, second] = meet(store, 2) as [Meeting, Meeting];
    await expect(second.plan()).rejects.toThrow(/memory: note plan\.json: /);
  });

  it('if nobody wants to wait any longer', async () => {
    const [, second] = meet(memoryStore(), 2) as [Meeting, Meeting];
    second.giveUp();
    await expect(second.awaitStart()).rejects.toThrow(/interrupted: shard 1 of 2 has not started the load/);
  });
});

it('tokens are read by who has the load key, and by nobody else', () => {
  const tokens = new Map([['s1', 'token-of-s1']]);
  const sealed = seal(tokens, 'key', 'tag');
  expect(sealed).not.toContain('token');
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('token');
  expect(unseal(sealed, 'key', 'tag')).toEqual(tokens);
  expect(() => unseal(sealed, 'another key', 'tag')).toThrow();
  expect(() => unseal(sealed, 'key', 'another tag')).toThrow();
});
