import { describe, expect, test } from 'vitest';
import type { Interaction, SessionGrant } from '../../src/wire.ts';
import {
  cartIntent,
  newInteractionId,
  type ServiceUnderTest,
  selected,
  serviceUnderTest,
  shade,
} from './service-under-test.ts';

async function withSession(): Promise<{ service: ServiceUnderTest; session: SessionGrant }> {
  const service = serviceUnderTest();
  await service.importShades('spring', [shade('A'), shade('B')]);
  return { service, session: await service.openSession() };
}

async function history(service: ServiceUnderTest, session: SessionGrant): Promise<readonly Interaction[]> {
  const answer = await service.call('GET', `/sessions/${session.session_id}`);
  return answer.json<{ interactions: readonly Interaction[] }>().interactions;
}

describe('what is accepted', () => {
  test.each([
    ['one selection', () => [selected('A')], 1],
    ['a cart intent for a shade', () => [cartIntent('A')], 1],
    ['a cart intent for the product alone', () => [cartIntent()], 1],
    ['the same shade three times', () => [selected('A'), selected('A'), selected('A')], 3],
    ['nothing', () => [], 0],
  ])('%s', async (_, interactions, accepted) => {
    const { service, session } = await withSession();
    const acts = interactions();
    const answer = await service.interact(session, acts);
    expect(answer.status).toBe(202);
    expect(answer.json()).toEqual({ accepted });
    expect(await history(service, session)).toEqual(acts);
  });

  test('an id seen before is not counted again, within a batch or across, and the first of it stays', async () => {
    const { service, session } = await withSession();
    const [first, second] = [newInteractionId(), newInteractionId()];
    const one = await service.interact(session, [selected('A', first), selected('B', first)]);
    const two = await service.interact(session, [cartIntent('B', first), selected('B', second)]);
    expect([one.json(), two.json()]).toEqual([{ accepted: 1 }, { accepted: 1 }]);
    expect(await history(service, session)).toEqual([selected('A', first), selected('B', second)]);
  });

  test('the same id in two sessions is two interactions', async () => {
    const { service, session } = await withSession();
    const other = await service.openSession();
    const id = newInteractionId();
    await service.interact(session, [selected('A', id)]);
    expect((await service.interact(other, [selected('A', id)])).json()).toEqual({ accepted: 1 });
  });

  test('many batches at once lose nothing', async () => {
    const { service, session } = await withSession();
    const acts = Array.from({ length: 200 }, (_, i) => selected(i % 2 === 0 ? 'A' : 'B'));
    await Promise.all(acts.map((act) => service.interact(session, [act])));
    expect(new Set((await history(service, session)).map(({ id }) => id))).toEqual(
      new Set(acts.map(({ id }) => id)),
    );
  });

  test('an instant is echoed as it was written', async () => {
    const { service, session } = await withSession();
    const act = { ...selected('A'), at: '2020-02-29T23:59:59Z' };
    await service.interact(session, [act]);
    expect((await history(service, session))[0]?.at).toBe('2020-02-29T23:59:59Z');
  });
});

describe('who may send events', () => {
  test('not the token of another session', async () => {
    const { service, session } = await withSession();
    const other = await service.openSession();
    expect((await service.interact(session, [selected('A')], other.token)).status).toBe(401);
  });

  test('until the session expires, to the millisecond, by the wall clock', async () => {
    const { service, session } = await withSession();
    service.clock.setWall('2026-03-10T12:29:59.999Z');
    expect((await service.interact(session, [selected('A')])).status).toBe(202);
    service.clock.setWall('2026-03-10T12:30:00.000Z');
    expect((await service.interact(session, [selected('A')])).status).toBe(401);
  });
});
