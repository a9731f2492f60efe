import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../src/checks/check-catalogue.ts';

/** Words of this project alone, for which there is a standard term. */
const dialect =
  /\b(?:laborator\w*|labs?|books|equip\w*|rehears\w*|companions?|accompan\w*|looked after|lumps?|freedoms?|degrees of freedom|refus\w*|glances?|acts?|whoever|nobody|so many|for want of|of (?:its|their) own|what is asked|what is allowed for|what it may be)\b/i;

/** What a reader would stumble over in a sentence. */
function faultsOf(sentence: string): string[] {
  // Fields and values of the profile are quoted as they are.
  const prose = sentence.replaceAll(/`[^`]+`/g, 'FIELD');
  const words = sentence.split(/\s+/).length;
  const own = dialect.exec(prose)?.[0];
  return [
    ...(words > 25 ? [`${words} words: ${sentence}`] : []),
    ...(/[^.]\.$/.test(sentence) ? [] : [`no full stop: ${sentence}`]),
    ...(/[.!?]\s/.test(prose) ? [`more than one sentence: ${sentence}`] : []),
    ...(/^[A-Z`]/.test(sentence) ? [] : [`no capital: ${sentence}`]),
    ...(own === undefined ? [] : [`“${own}”: ${sentence}`]),
  ];
}

describe('the catalogue of checks', () => {
  it.each(Object.entries(checkCatalogue))('describes %s in plain sentences', (_, entry) => {
    expect(Object.values(entry).flatMap(faultsOf)).toEqual([]);
  });

  it('gives every check another property, but for those of audits that repeat one of a run', () => {
    const asks = Object.values(checkCatalogue).map((entry) => entry.asks);
    expect(asks.filter((each, place) => asks.indexOf(each) < place)).toEqual([
      '`period` repeats the requested dates.',
    ]);
  });

  it.each([
    ['The quota is refused for the rate.', '“refused”'],
    ['Two facts. In two sentences.', 'more than one sentence'],
    ['A fact without its end', 'no full stop'],
    [`${'word '.repeat(25)}word.`, '26 words'],
  ])('%s is a fault', (sentence, fault) => {
    expect(faultsOf(sentence).join()).toContain(fault);
  });
});
