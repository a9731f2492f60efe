import { describe, expect, it } from 'vitest';
import { readCoverage, totalsOf } from '../../src/checks/corners/read.ts';
import { fieldNames } from '../../src/corners/catalogue.ts';
import {
  type Circumstances,
  type CoveredClass,
  coverageOf,
  type SentValues,
} from '../../src/corners/coverage.ts';
import { type SampleHistory, withHistory } from '../history/sample.ts';

const nothing = Object.fromEntries(fieldNames.map((field) => [field, []])) as unknown as SentValues;
const launched: Circumstances = {
  reach: 'single',
  has: new Set(),
  cutOff: false,
  isCapped: false,
  triesQuota: false,
};

function one(
  sent: Partial<SentValues>,
  field: string,
  id: string,
  circumstances = launched,
): CoveredClass | undefined {
  return coverageOf({ ...nothing, ...sent }, circumstances).find(
    (each) => each.field === field && each.id === id,
  );
}

const of = (value: string, more: { scope?: string; accepted?: number; rejected?: number } = {}) => ({
  value,
  scope: 'c',
  requests: 1,
  accepted: 1,
  rejected: 0,
  ...more,
});

describe('a class of values', () => {
  it('is reached by a value that was accepted', () => {
    expect(one({ sku: [of('007')] }, 'sku', 'number-look')).toMatchObject({
      outcome: 'reached',
      requests: 1,
    });
  });

  it('is not judged where its values were rejected, which the interface leaves open', () => {
    const sent = { sku: [of('007', { accepted: 0, rejected: 1 })] };
    expect(one(sent, 'sku', 'number-look')?.outcome).toBe('rejected');
  });

  it('is reached by a rejection where its values are invalid', () => {
    expect(one({ hex: [of('#ABC', { accepted: 0, rejected: 1 })] }, 'hex', 'three-digits')?.outcome).toBe(
      'reached',
    );
  });

  it('of pairs needs two different values in one catalog', () => {
    const pair = (...sku: SentValues['sku']): string | undefined => one({ sku }, 'sku', 'case-pair')?.outcome;
    expect(pair(of('Ab'), of('AB'))).toBe('reached');
    expect(pair(of('Ab'), of('Ab'))).toBe('not-sent');
    expect(pair(of('Ab'), of('AB', { scope: 'd' }))).toBe('not-sent');
  });

  it('counts the requests, however many of its values they carried', () => {
    const sku = [of('007'), of('0x10'), of('-0', { scope: 'd' })];
    expect(one({ sku }, 'sku', 'number-look')?.requests).toBe(2);
    expect(
      one({ locale: [of('en', { scope: '' }), of('fr', { scope: '' })] }, 'locale', 'language')?.requests,
    ).toBe(2);
  });

  it('that was not sent says why', () => {
    const why = (field: string, id: string, circumstances = {}): string | undefined =>
      one({}, field, id, { ...launched, ...circumstances })?.why;
    const quota = new Set(['quota']);
    expect(why('history', 'over-1024')).toBe('no-channel');
    expect(why('catalog', 'over-999')).toBe('scenario');
    expect(why('catalog', 'over-999', { reach: 'long', isCapped: true })).toBe('no-room');
    expect(why('catalog', 'over-999', { reach: 'long' })).toBe('ruled-out');
    expect(why('catalog', 'over-999', { reach: 'long', cutOff: true })).toBe('ended-early');
    expect(why('quota', 'over')).toBe('no-key');
    expect(why('events', 'cart-without-sku')).toBe('no-channel');
    expect(why('quota', 'over', { has: quota })).toBe('scenario');
    expect(why('quota', 'over', { has: quota, triesQuota: true })).toBe('chance');
    expect(why('key', 'cut-to-72')).toBe('short-key');
    expect(why('key', 'cut-to-72', { has: new Set(['long-key']), cutOff: true })).toBe('ended-early');
    expect(why('sku', 'case-pair', { reach: undefined })).toBe('scenario');
  });
});

describe('the coverage of a history', () => {
  const read = (sample: SampleHistory): Promise<readonly CoveredClass[]> => withHistory(sample, readCoverage);
  const outcome = (coverage: readonly CoveredClass[], field: string, id: string): string | undefined =>
    coverage.find((each) => each.field === field && each.id === id)?.outcome;

  it('of an empty run has nothing, and a reason for each class', async () => {
    const coverage = await read({});
    expect(totalsOf(coverage)).toMatchObject({ reached: 0, rejected: 0 });
    expect(coverage.filter(({ why }) => why === undefined)).toEqual([]);
  });

  it('joins shades with the imports that carried them', async () => {
    const shade = { productId: '', productName: '', finish: 'matte', name: 'A' };
    const coverage = await read({
      requests: [
        { endpoint: 'import-shades', catalogId: 'c', items: 2, status: 200 },
        { endpoint: 'import-shades', catalogId: 'd', items: 1, status: 422 },
      ],
      catalog: [
        { ...shade, catalogId: 'c', sku: 'x1', hex: '#1E2345' },
        { ...shade, catalogId: 'c', sku: 'X1', hex: '#1E2346' },
        { ...shade, catalogId: 'd', sku: '007', hex: '#000000' },
        { ...shade, catalogId: 'never imported', sku: 'null', hex: '#FFFFFF' },
      ],
    });
    expect(outcome(coverage, 'sku', 'case-pair')).toBe('reached');
    expect(outcome(coverage, 'hex', 'exponent')).toBe('reached');
    expect(outcome(coverage, 'hex', 'last-digit-pair')).toBe('reached');
    expect(outcome(coverage, 'sku', 'number-look')).toBe('rejected');
    expect(outcome(coverage, 'sku', 'reserved-word')).toBe('not-sent');
  });
});
