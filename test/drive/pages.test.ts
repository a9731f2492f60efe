import { describe, expect, it } from 'vitest';
import type { Asker, Question, Reply } from '../../src/drive/ask/ask.ts';
import { mostPages, PageBudget } from '../../src/drive/ask/governor.ts';
import { followPages } from '../../src/drive/setup/lists.ts';

/** What a target answers to a path: a list of this many shades, and its `Link` header. */
type Page = { readonly shades: number; readonly link?: string; readonly status?: number };

async function followed(
  answer: (path: string) => Page,
  pages = new PageBudget(),
): Promise<{ readonly asked: readonly Question[]; readonly shades: number }> {
  const asked: Question[] = [];
  const reply = (path: string, seq: number): Reply => {
    const { link, shades, status = 200 } = answer(path);
    const headers = link === undefined ? {} : { link: `<${link}>; rel="next"` };
    const exchange = { status, headers, json: () => Array.from({ length: shades }, () => ({ sku: 'A' })) };
    return { seq, exchange, reading: status === 200 ? { count: shades } : {} } as unknown as Reply;
  };
  const asker = {
    ask: (question: Question) => {
      asked.push(question);
      return Promise.resolve(reply(question.call.path, 1 + asked.length));
    },
  } as unknown as Asker;
  const options = { pages, baseUrl: new URL('http://target.example/v1') };
  const first = reply('/shades?catalog_id=c', 1);
  const page = { first, catalogId: 'c', role: 'load' } as const;
  const shades = await followPages(options, page, (question) =>
    asker.ask({ ...question, stage: 'setup', phase: 'contract', credential: 'load' }),
  );
  return { shades, asked };
}

const paths = (asked: readonly Question[]): string[] => asked.map(({ call }) => call.path);

describe('the pages of a list', () => {
  it('are asked for to the last, each kept as a page of the first', async () => {
    const { asked, shades } = await followed((path) =>
      path.includes('page=3')
        ? { shades: 4 }
        : { shades: 10, link: `/v1/shades?page=${path.includes('page') ? 3 : 2}` },
    );
    expect(paths(asked)).toEqual(['/shades?page=2', '/shades?page=3']);
    expect(shades).toBe(14);
    for (const { call, known } of asked) {
      expect(known).toEqual({ pageOf: 1 });
      expect(call).toMatchObject({ about: { catalogId: 'c' }, query: { catalog_id: 'c' } });
    }
  });

  it.each<[string, (path: string) => Page, readonly string[]]>([
    ['of another host are not asked for', () => ({ shades: 1, link: 'http://evil.example/v1/shades' }), []],
    [
      'that lead in a circle are asked for once',
      () => ({ shades: 1, link: '/v1/shades?p=2' }),
      ['/shades?p=2'],
    ],
    [
      'are not requested beyond one that got a 4xx',
      (path) => ({ shades: 1, link: `/v1${path}x`, status: path.endsWith('cx') ? 503 : 200 }),
      ['/shades?catalog_id=cx'],
    ],
  ])('%s', async (_sentence, answer, expected) => {
    expect(paths((await followed(answer)).asked)).toEqual(expected);
  });

  it('are asked for within what the run announced, all lists together', async () => {
    const budget = new PageBudget();
    const endless = (path: string): Page => ({ shades: 1, link: `/v1${path}x` });
    expect((await followed(endless, budget)).asked).toHaveLength(mostPages.load);
    expect((await followed(endless, budget)).asked).toEqual([]);
  });
});
