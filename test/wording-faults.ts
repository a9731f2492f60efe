/** Words that follow a 1 and end in s without being a plural: verbs, units, particles. */
const noPlural =
  'is|was|has|does|carries|agrees|shows|stands|asks|adds|ms|s|as|its|less|this|plus|status|class';
const numberFaultPatterns: Readonly<Record<string, RegExp>> = {
  'a plural after 1': new RegExp(`(?<![\\w.,:-]|to )1 (?!(?:${noPlural})\\b)[a-z]+s\\b`),
  'a verb in the plural after 1': /(?<![\w.,:-]|to )1 (?:[a-z]+ )?(?:are|were|have|do)\b/,
  'all of none or of one': /\b[Aa]ll [01]\b(?!,)/,
  'a number without commas': /(?<![\w.,:#/=-])\d{5,}(?![\w:/-])/,
  'a range with equal ends': /(?<![\w.,-])(\d[\d.,]*(?: m?s)?) to \1(?![\d.,]*\d)/,
};

/** Numbers, ranges and plurals that are written wrong in a text. */
export function numberFaults(text: string): string[] {
  return Object.entries(numberFaultPatterns).flatMap(([name, pattern]) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${name}: “${found}” in “${text}”`];
  });
}

/** Words of this project alone, for which there is a standard term. */
const dialect =
  /\b(?:laborator\w*|labs?|books|equip\w*|rehears\w*|companions?|accompan\w*|looked after|lumps?|freedoms?|degrees of freedom|refus\w*|glances?|acts?|whoever|nobody|so many|for want of|of (?:its|their) own|what is asked|what is allowed for|what it may be)\b/i;

/** What a reader would stumble over in a text that is to be one sentence. */
export function sentenceFaults(sentence: string): string[] {
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

/** What a reader would stumble over in a text of several sentences: each is judged by itself, and the numbers of all. */
export function textFaults(text: string): string[] {
  return [...sentencesOf(text).flatMap(sentenceFaults), ...numberFaults(text)];
}

/** A full stop, a space and a capital (or a quote) end a sentence. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=[A-Z“`])/);
}
