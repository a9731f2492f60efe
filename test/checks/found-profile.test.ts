import { describe, expect, it } from 'vitest';
import { foundProfile } from '../../src/checks/found-profile.ts';
import type { EventRecord } from '../../src/history/record.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';
import { type SampleRequest, sampleRun, withHistory } from '../history/sample.ts';
import { limitsHistory } from '../report/limits-sample.ts';
import { type Manner, Scene, tomorrow } from './analytics/scene.ts';

/** A run in which every convention of the means shows. */
function scene(manner: Manner): Scene {
  const made = new Scene();
  made.visit('p', ['A', 'A', 'B', '+A']);
  made.visit('p', ['A', '+A', 'B']);
  made.visit('p', ['C', 'A', 'A', 'A', 'C', 'C']);
  made.visit('p');
  made.pause(20_000);
  for (const query of [{}, { product: 'p' }, { product: 'p', end: tomorrow }]) made.ask(query, manner);
  return made;
}

/** A request that tries whether there is a channel, by its credentials. */
function tried(credential: 'session' | 'load', outcome: Partial<SampleRequest>): SampleRequest {
  return { endpoint: 'interact', probe: 'channel', credential, ...outcome };
}

async function found(manner: Manner, told: ProfileInput['analytics'] = {}, more: ProfileInput = {}) {
  return scene(manner).judge(foundProfile, { profile: { ...more, analytics: { exclusive: true, ...told } } });
}

describe('the profile that a run can write', () => {
  it('says of analytics what every answer fits', async () => {
    const { profile } = await found({
      shades: 'selections',
      averaged: 'with-shades',
      cart: 'last',
      decimals: 3,
    });
    expect(profile.analytics).toMatchObject({
      shades_per_session: 'selections',
      sessions_averaged: 'with-shades',
      cart_intent: 'last',
      decimals: 3,
      end_date: 'inclusive',
      exclusive: true,
    });
  });

  it('leaves open what the answers leave open', async () => {
    const { profile } = await found({});
    // All at noon, within a second: whatever the zone, and whatever dates a session.
    expect(profile.analytics?.time_zone).toBeUndefined();
    expect(profile.analytics?.session_day).toBeUndefined();
    expect(profile.analytics?.end_date).toBe('inclusive');
  });

  it('names what it has otherwise than the run was told', async () => {
    const { changes } = await found(
      { shades: 'selections' },
      { shades_per_session: 'distinct', decimals: 4 },
    );
    expect(changes).toContainEqual({
      field: 'analytics.shades_per_session',
      was: '"distinct"',
      is: '"selections"',
    });
    expect(changes.map(({ field }) => field)).not.toContain('analytics.decimals');
  });

  it('says nothing of conventions where none fits', async () => {
    const { profile } = await found({ spoil: (body) => ({ ...body, total_sessions: 1_000 }) });
    expect(profile.analytics).toEqual({ exclusive: true });
  });

  it('keeps what the run was told otherwise, but for defaults', async () => {
    const told: ProfileInput = {
      name: 'staging',
      base_url: 'https://staging.example/v1',
      rate_limit: '60/2s',
      quota: { sessions: 15 },
      timeouts: { connect: '3s' },
      finishes: ['matte', 'satin'],
    };
    const { profile } = await found({}, {}, told);
    expect(profile).toMatchObject({
      name: 'staging',
      base_url: 'https://staging.example/v1',
      rate_limit: '60/2s',
      quota: { sessions: 15 },
      timeouts: { connect: 3_000 },
      finishes: ['matte', 'satin'],
    });
    expect(profile).not.toHaveProperty('connections');
    expect(profile.timeouts).not.toHaveProperty('body');
  });

  it('is a profile, and says the same when it is read and written again', async () => {
    const first = await found({ shades: 'selections' });
    const again = await scene({ shades: 'selections' }).judge(foundProfile, { profile: first.profile });
    expect(profileSchema.safeParse(first.profile).success).toBe(true);
    expect(again).toEqual({ profile: first.profile, changes: [] });
  });

  it.each<[string, ProfileInput['channel'], readonly SampleRequest[]]>([
    ['the channel that was found', undefined, [tried('session', { status: 202 })]],
    [
      'the channel that was found by an empty batch that it rejects',
      undefined,
      [tried('session', { status: 422 })],
    ],
    ['that there is none', 'none', [tried('session', { status: 404 }), tried('load', { status: 401 })]],
    [
      'nothing of one that gave no answer',
      'discover',
      [tried('session', { status: 404 }), tried('load', { lost: 'timeout' })],
    ],
  ])('has %s', async (_, channel, requests) => {
    const events: EventRecord[] = [
      { kind: 'discovered', what: 'format of start_date and end_date', value: 'date-time' },
    ];
    const { profile } = await withHistory({ events, requests }, foundProfile);
    if (channel === undefined)
      expect(profile.channel).toMatchObject({
        path: '/sessions/{session_id}/interactions',
        auth: 'session-token',
      });
    else expect(profile.channel ?? 'discover').toBe(channel);
    expect(profile.analytics?.date_format).toBe('date-time');
  });

  it('has where keys are, and never a key', async () => {
    const keys = {
      load: { from: 'env LOAD_KEY', fingerprint: '00000000' },
      quota: { from: 'file /run/secrets/quota key', fingerprint: '00000000' },
      bystander: { from: 'embedded', fingerprint: '00000000' },
    };
    const { profile } = await withHistory({ run: { ...sampleRun, keys } }, foundProfile);
    expect(profile.keys).toEqual({ load: { env: 'LOAD_KEY' }, quota: { file: '/run/secrets/quota key' } });
  });

  it('has the limiter that a study found', async () => {
    const { profile } = await withHistory(limitsHistory(), foundProfile);
    expect(profile).toMatchObject({
      limiter: 'sliding-log',
      rate_limit: '100/6s',
      limit_scope: 'per-key',
    });
  });
});
