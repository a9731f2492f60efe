import { all, counted, number, verb } from '../../amounts.ts';
import { readShades } from '../../target/wire-schemas.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import type { CheckResult, Verdict } from '../verdict.ts';
import { answerOf, evidenceOf, lastOf, silenceOf, skusListed } from './asked.ts';
import { askedEarly, earlyText } from './imported.ts';
import { cutShort, onPages, pageFault, pageRows } from './pages.ts';

/** Shades per batch import, as the interface gives it. */
const largestBatch = 500;

interface Outcome {
  readonly verdict: Verdict;
  readonly explanation: string;
}

/** A batch of exactly the limit is accepted, and then listed in full: at once, or after a 202 within `visibleMs`. */
export function checkBatchMax(probes: readonly ProbeRow[], visibleMs: number): CheckResult {
  const batch = lastOf(probes, 'batch-max');
  const list = lastOf(probes, 'batch-max:list');
  const { verdict, explanation } = judgeBatchMax(batch, list, visibleMs);
  return {
    id: 'contract.batch-max',
    title: `A batch of ${largestBatch} shades is accepted and listed in full`,
    verdict,
    expected: { import: '2xx', listed: batch?.items ?? largestBatch },
    observed: { import: answerOf(batch), listed: listedIn(list) ?? answerOf(list) },
    explanation,
    evidence: evidenceOf(batch, list),
  };
}

/** A batch over the limit is refused with a 4xx, and nothing of it is listed afterwards. */
export function checkBatchOver(probes: readonly ProbeRow[]): CheckResult {
  const batch = lastOf(probes, 'batch-over');
  const list = lastOf(probes, 'batch-over:list');
  const { verdict, explanation } = judgeBatchOver(batch, list);
  return {
    id: 'contract.batch-over',
    title: `A batch of ${counted(largestBatch + 1, 'shade')} is refused, and nothing of it stored`,
    verdict,
    expected: { import: '4xx', listed: 0 },
    observed: { import: answerOf(batch), listed: listedIn(list) ?? answerOf(list) },
    explanation,
    evidence: evidenceOf(batch, list),
  };
}

function judgeBatchMax(batch: ProbeRow | undefined, list: ProbeRow | undefined, visibleMs: number): Outcome {
  const silence = silenceOf(batch);
  if (batch === undefined || silence !== undefined) {
    return { verdict: 'inconclusive', explanation: `The batch says nothing: ${silence}.` };
  }
  const sent = batch.items ?? largestBatch;
  if (!is2xx(batch)) {
    return {
      verdict: 'fail',
      explanation: `A batch of ${counted(sent, 'shade')}, which the interface allows, was answered with ${batch.status}.`,
    };
  }
  const listSilence = silenceOf(list);
  if (list === undefined || listSilence !== undefined) {
    return {
      verdict: 'inconclusive',
      explanation: `The batch was accepted, but its list says nothing: ${listSilence}.`,
    };
  }
  const early = askedEarly(list, batch.status === 202 ? (batch.answered_ns ?? 0) + visibleMs * 1e6 : null);
  if (!is2xx(list)) {
    return {
      verdict: early && list.status === 404 ? 'inconclusive' : 'fail',
      explanation: `The batch was accepted, and its catalog then answered ${list.status}${early ? `; ${earlyText}` : ''}.`,
    };
  }
  const fault = pageFault(list);
  if (fault !== undefined)
    return { verdict: 'fail', explanation: `The batch was accepted, but its list has no end: ${fault}.` };
  const shown = listedIn(list);
  if (shown === undefined) {
    return { verdict: 'inconclusive', explanation: 'The batch was accepted, but its list cannot be read.' };
  }
  const repeated = (skusListed(list)?.length ?? shown) - shown;
  if (repeated > 0)
    return {
      verdict: 'fail',
      explanation: `${counted(sent, 'shade')} ${verb(sent, 'was', 'were')} accepted, and ${number(repeated)} of the ${number(shown + repeated)} entries listed${onPages(list)} ${verb(repeated, 'repeats', 'repeat')} a SKU.`,
    };
  if (shown === sent)
    return {
      verdict: 'pass',
      explanation: `${all(sent, 'shade')} of the batch ${verb(sent, 'was', 'were')} listed${onPages(list)}${pageRows(list).length > 1 ? ', each once' : ''}.`,
    };
  const excuse = shown > sent ? undefined : early ? earlyText : cutShort(list);
  return {
    verdict: excuse === undefined ? 'fail' : 'inconclusive',
    explanation: `${counted(sent, 'shade')} ${verb(sent, 'was', 'were')} accepted and ${number(shown)} listed${onPages(list)}${excuse === undefined ? '' : `; ${excuse}`}.`,
  };
}

function judgeBatchOver(batch: ProbeRow | undefined, list: ProbeRow | undefined): Outcome {
  const silence = silenceOf(batch);
  // The catalog is the probe's own, so whatever is listed in it came from this batch, answered or not.
  const stored = list !== undefined && is2xx(list) ? listedIn(list) : list?.status === 404 ? 0 : undefined;
  const sent = batch?.items ?? largestBatch + 1;
  if (batch !== undefined && is2xx(batch)) {
    return {
      verdict: 'fail',
      explanation: `${counted(sent, 'shade')}, more than the ${largestBatch} of the interface, were answered with ${batch.status}${stored === undefined ? '' : ` and ${number(stored)} of them listed`}.`,
    };
  }
  if (stored !== undefined && stored > 0) {
    return {
      verdict: 'fail',
      explanation: `The batch was answered with ${answerOf(batch)}, yet ${number(stored)} of its ${counted(sent, 'shade')} ${verb(stored, 'is', 'are')} listed.`,
    };
  }
  if (batch === undefined || silence !== undefined) {
    return { verdict: 'inconclusive', explanation: `The batch says nothing: ${silence}.` };
  }
  if (batch.status === null || batch.status < 400 || batch.status > 499) {
    return {
      verdict: 'fail',
      explanation: `A batch over the limit was answered with ${batch.status}, not with a 4xx.`,
    };
  }
  return stored === undefined
    ? {
        verdict: 'inconclusive',
        explanation: `The batch was refused, but its list says nothing: ${silenceOf(list) ?? answerOf(list)}.`,
      }
    : {
        verdict: 'pass',
        explanation: `The batch was refused with ${batch.status} and nothing of it listed.`,
      };
}

/** How many different shades a list shows, from its body where that was kept. */
function listedIn(list: ProbeRow | undefined): number | undefined {
  if (list === undefined || !is2xx(list)) return undefined;
  const pages = pageRows(list).filter((page) => is2xx(page) && page.body !== null);
  const read = pages.map((page) => readShades(JSON.parse(page.body ?? 'null')));
  if (read.length > 0 && read.every((each) => each.ok))
    return new Set(read.flatMap((each) => each.value.map((shade) => shade.sku))).size;
  return list.count ?? undefined;
}
