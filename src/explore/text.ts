import { counted, percent } from '../amounts.ts';
import type { Divergence } from '../model/judge.ts';
import { sentenceOf } from '../model/words.ts';
import { curlOf } from './curl.ts';
import type { ExploreFindings, JudgedShare } from './findings.ts';

const longest = 160;

/** A value of an answer, short enough to read. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}… (${counted(text.length, 'character')})` : text;
}

/** Expected X, got Y. */
export const divergenceText = ({ call, expected, got, kind, of, op, resource }: Divergence): string =>
  `call ${call} (${op}, ${resource}): ${kind} ${of}: expected ${valueText(expected)}, got ${valueText(got)}`;

/** What an exploration shows, as text for a terminal. */
export function findingsText(findings: ExploreFindings): string {
  const { all, explanation, power, settled, shrunk, tooFew, verdict } = findings;
  const { causes, common, divergences, second } = explanation;
  const lines = [
    `${counted(all.planned, 'call')}: ${shareText(all)}`,
    ...(tooFew.length > 0 ? ['INCONCLUSIVE: too few answers say anything.'] : []),
    ...tooFew.map((each) => `  ${each.op} (${counted(each.planned, 'call')}): ${shareText(each)}`),
    ...settled.map(
      ({ call, freedom, option }) =>
        `  ${freedom}: ${option} (${call === undefined ? 'promised' : `shown by call ${call}`})`,
    ),
  ];
  if (verdict === 'inconclusive')
    lines.push('No judged answer differs from what the interface allows. That is no pass.');
  if (verdict === 'agrees') {
    const shown = power.filter(({ isShown }) => isShown).length;
    const missed = power.filter(({ isShown }) => !isShown).map(({ fault }) => fault.cause);
    lines.push(
      'No answer differs from what the interface allows.',
      `This run would have shown ${shown} of ${counted(power.length, 'known fault')} (${percent(shown / power.length)}).`,
      ...(missed.length > 0 ? [`Not: ${missed.join(', ')}`] : []),
    );
  }
  if (verdict !== 'differs') return `${lines.join('\n')}\n`;
  lines.push(`${counted(divergences.length, 'difference')} from what the interface allows:`);
  lines.push(...divergences.slice(0, 5).map((each) => `  ${divergenceText(each)}`));
  const [best] = causes;
  const explains = best === undefined ? '' : `explains ${best.of - best.left} of ${best.of}`;
  for (const { fault, params } of causes)
    lines.push(`Probable cause (${fault.cause}): ${sentenceOf(fault, params)} ${fault.behind} [${explains}]`);
  if (second !== undefined)
    lines.push(`And (${second.fault.cause}): ${sentenceOf(second.fault, second.params)}`);
  if (best === undefined) lines.push('No known fault explains them.');
  for (const { feature, ofAll, ofWrong } of common)
    lines.push(`  In common: ${feature} (${percent(ofWrong)} of these calls, ${percent(ofAll)} of all)`);
  if (shrunk !== undefined)
    lines.push(
      `${counted(shrunk.calls.length, 'call')} show the first:`,
      ...shrunk.calls.map((call) => `  ${curlText(curlOf(call))}`),
      `  ${divergenceText(shrunk.divergence)}`,
    );
  return `${lines.join('\n')}\n`;
}

const shareText = ({ failed, judged, limited, lost, unsent }: JudgedShare): string =>
  `${counted(judged, 'answer')} judged, ${lost} without an answer, ${failed} with 5xx, ${limited} over a limit, ${unsent} not sent`;

const longestCurl = 600;
const curlText = (curl: string): string =>
  curl.length > longestCurl ? `${curl.slice(0, longestCurl)}…` : curl;
