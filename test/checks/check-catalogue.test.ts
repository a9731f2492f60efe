import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../src/checks/check-catalogue.ts';
import { sentenceFaults } from '../wording-faults.ts';

describe('the catalogue of checks', () => {
  it.each(Object.entries(checkCatalogue))('describes %s in plain sentences', (_, entry) => {
    expect(Object.values({ ...entry, title: `${entry.title}.` }).flatMap(sentenceFaults)).toEqual([]);
  });

  it('gives every check another title', () => {
    const titles = Object.values(checkCatalogue).map((entry) => entry.title);
    expect(titles.filter((each, place) => titles.indexOf(each) < place)).toEqual([]);
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
