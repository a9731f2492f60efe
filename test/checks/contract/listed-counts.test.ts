import { describe, expect, it } from 'vitest';
import { checkContract } from '../../../src/checks/contract.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { AnswerRecord } from '../../../src/history/record.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';
import { type SampleRequest, withHistory } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';

const catalogId = 'm';
const batch: SampleRequest = {
  endpoint: 'import-shades',
  stage: 'setup',
  probe: 'batch-max',
  catalogId,
  items: 3,
};
const list: SampleRequest = {
  endpoint: 'list-shades',
  stage: 'setup',
  probe: 'batch-max:list',
  catalogId,
  count: 3,
};
const shades = ['A', 'B', 'C'].map((sku) => ({ sku, name: sku, hex: '#AA0000', finish: 'matte' }));

function session(count: number, more: Partial<SampleRequest> = {}): SampleRequest {
  return {
    endpoint: 'create-session',
    stage: 'setup',
    probe: 'batch-max:create-session',
    catalogId,
    count,
    ...more,
  };
}

/** An ordinary session, whose catalog was imported with the same number of shades. */
const ordinary: readonly SampleRequest[] = [
  { endpoint: 'import-shades', stage: 'setup', catalogId: 'c1', items: 3 },
  { endpoint: 'create-session', catalogId: 'c1', count: 3 },
];

async function judged(
  requests: readonly SampleRequest[],
  listed = shades,
  check: CheckId = 'contract.shade-count',
) {
  // One after the other.
  const all = [...ordinary, ...requests].map((request, place) => ({
    ...request,
    intendedNs: (place + 1) * 20e6,
  }));
  const answers = all.flatMap((request, place): AnswerRecord[] =>
    request.endpoint === 'list-shades'
      ? [{ seq: place + 1, endpoint: 'list-shades', query: { catalog_id: catalogId }, body: listed }]
      : [],
  );
  const catalog = shades.map((shade) => ({ catalogId: 'c1', productId: 'p', productName: 'P', ...shade }));
  const results = await withHistory({ requests: all, answers, catalog }, async (history) =>
    (await checkContract(history)).map(render),
  );
  const result = results.find(({ id }) => id === check);
  return { verdict: result?.verdict, causes: causeCodes([result]) };
}

describe('shade_count of a session on a catalog of probes', () => {
  it('is the number of shades in the list before it', async () => {
    expect(await judged([batch, list, session(3)])).toEqual({ verdict: 'pass', causes: [] });
    expect(await judged([batch, list, session(2)])).toEqual({
      verdict: 'fail',
      causes: ['shade-count-wrong'],
    });
  });

  it('counts a shade once that is listed twice', async () => {
    const listed = [...shades, ...shades.slice(0, 1)];
    expect((await judged([batch, list, session(3)], listed)).verdict).toBe('pass');
    expect((await judged([batch, list, session(4)], listed)).verdict).toBe('fail');
  });

  it('is the number of shades in the list after it', async () => {
    expect((await judged([batch, session(3), list])).verdict).toBe('pass');
    expect((await judged([batch, session(4), list])).verdict).toBe('fail');
  });

  it('is not compared over an import', async () => {
    expect((await judged([batch, session(2), batch, list])).verdict).toBe('pass');
    expect((await judged([batch, list, batch, session(4)])).verdict).toBe('pass');
  });

  it('is not compared while an import that got 202 may not show yet', async () => {
    expect((await judged([{ ...batch, status: 202 }, session(0), list])).verdict).toBe('pass');
  });

  it('is not compared where no list was read', async () => {
    expect((await judged([batch, session(2)])).verdict).toBe('pass');
  });
});

describe('lists under load of a catalog of probes', () => {
  const inLoad = (count: number): SampleRequest => ({
    endpoint: 'list-shades',
    catalogId,
    count,
    shopper: 6,
  });
  const judgedLists = (requests: readonly SampleRequest[]) => judged(requests, shades, 'contract.catalog');

  it('have the length of the list of a probe', async () => {
    expect(await judgedLists([batch, list, inLoad(2)])).toEqual({
      verdict: 'fail',
      causes: ['shades-missing'],
    });
    expect(await judgedLists([batch, list, inLoad(4)])).toEqual({
      verdict: 'fail',
      causes: ['foreign-shades'],
    });
    expect((await judgedLists([batch, list, inLoad(3)])).causes).toEqual([]);
  });

  it('may have another length after another import', async () => {
    expect((await judgedLists([batch, list, batch, inLoad(4)])).causes).toEqual([]);
  });

  it('are counted together, whatever their number', async () => {
    const many = Array.from({ length: 40 }, () => inLoad(2));
    expect((await judgedLists([batch, list, ...many])).causes).toEqual(['shades-missing']);
  });
});
