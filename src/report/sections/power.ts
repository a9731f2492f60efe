import { counted, number, percent } from '../../amounts.ts';
import { exploredFindings } from '../../checks/contract/explored/findings.ts';
import { exploredPower } from '../../checks/contract/explored/power.ts';
import type { NotShown } from '../../model/power.ts';
import { html } from '../markup.ts';
import { disclosure, nothing, type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import { answerText, freedomWords } from './freedom-words.ts';

const whyWords: Readonly<Record<NotShown, string>> = {
  untouched: 'no call of its kind was sent',
  'no difference': 'no answer would have differed',
  uncertain: 'it shows at times only, or too little was certain',
};

/** What a pass of the contract excludes, measured: known faults planted into the model, and this run's calls replayed. */
export const powerSection: Section = { id: 'power', title: 'Power of the run', make };

async function make({ history }: SectionInput): Promise<SectionBody | undefined> {
  const findings = await exploredFindings(history);
  if (findings === undefined) return undefined;
  const power = await exploredPower(history);
  const settled = table('What the interface leaves open', findings.settled, [
    ['Question', ({ freedom }) => freedomWords[freedom].question],
    ['Answer of this target', ({ freedom, option }) => answerText(freedom, option)],
    ['Shown by', ({ call }) => (call === undefined ? 'the profile' : `seq ${number(call)}`)],
  ]);
  if (power === undefined)
    return {
      body: html`${nothing('Some answers of the explorer are wrong, so a pass excludes nothing.').body}${settled}`,
    };
  const { faults, missed, shown } = power;
  return {
    body: html`<p>The run sent ${counted(findings.calls.length, 'call')} to tell a sound service from a faulty one. With them it would have shown ${number(shown)} of ${counted(faults, 'known fault')} (${percent(shown / faults)}). More calls show more (<code>explore</code> in the scenario).</p>
${disclosure(
  `Not shown: ${number(missed.length)}`,
  table('Known faults that these calls would not have shown', missed, [
    ['Fault', ({ text }) => text],
    ['Why not', ({ why }) => whyWords[why]],
    ['Cause', ({ cause }) => cause],
  ]),
)}
${settled}`,
  };
}
