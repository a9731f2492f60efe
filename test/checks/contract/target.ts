import { checkContract } from '../../../src/checks/contract.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../../history/sample.ts';

export const second = 1e9;

/** A visit to a target that does everything right. */
const asked: readonly SampleRequest[] = [
  { endpoint: 'import-shades', stage: 'setup', catalogId: 'c1', items: 2, status: 201 },
  { endpoint: 'list-shades', stage: 'setup', probe: 'import:list', catalogId: 'c1', count: 2 },
  {
    ...{ endpoint: 'create-session', catalogId: 'c1', productId: 'p1', locale: 'de-DE', sessionId: 's1' },
    ...{ count: 2, expiresAt: '2026-05-01T12:30:00.000Z' },
  },
  { endpoint: 'read-session', sessionId: 's1' },
  { endpoint: 'analytics' },
  { endpoint: 'interact', sessionId: 's1', credential: 'session', status: 202 },
];

/** Further requests, with their answers, and what is told of the target. */
export type Change = Pick<SampleHistory, 'answers' | 'catalog' | 'profile' | 'run'> & {
  readonly more?: readonly SampleRequest[];
};

/** Judges the history of the visit, with more. */
export async function judged({ more = [], ...history }: Change): Promise<readonly CheckResult[]> {
  const requests = asked.map((request, place) => ({ intendedNs: place * 1e7, ...request }));
  return withHistory({ ...history, requests: [...requests, ...more] }, async (each) =>
    (await checkContract(each)).map(render),
  );
}
