import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../src/checks/catalogue/check-catalogue.ts';
import { sentenceFaults } from '../wording-faults.ts';

describe('the catalogue of checks', () => {
  it.each(Object.entries(checkCatalogue))('describes %s in plain sentences', (_, entry) => {
    expect(Object.values({ ...entry, title: `${entry.title}.` }).flatMap(sentenceFaults)).toEqual([]);
  });

  it('gives every check another title', () => {
    const titles = Object.values(checkCatalogue).map((entry) => entry.title);
    expect(titles.filter((each, place) => titles.indexOf(each) < place)).toEqual([]);
  });

  it('gives no two checks titles of nearly the same words', () => {
    const small = new Set(
      'a an the of in to is are it its that with and or for by be as at not no field'.split(' '),
    );
    const words = Object.entries(checkCatalogue).map(([id, { title }]) => ({
      id,
      own: new Set((title.toLowerCase().match(/\w+/g) ?? []).filter((word) => !small.has(word))),
    }));
    const alike = words.flatMap((one, place) =>
      words
        .slice(0, place)
        .filter(({ own }) => {
          const common = [...own].filter((word) => one.own.has(word)).length;
          return common > 0.6 * (own.size + one.own.size - common);
        })
        .map(({ id }) => `${id} and ${one.id}`),
    );
    expect(alike).toEqual([]);
  });

  it.each([
    ['The quota is refused for the rate.', '“refused”'],
    ['Two facts. In two sentences.', 'more than one sentence'],
    ['A fact without its end', 'no full stop'],
    [`${'word '.repeat(25)}word.`, '26 words'],
  ])('%s is a fault', (sentence, fault) => {
    expect(sentenceFaults(sentence).join()).toContain(fault);
  });
});
