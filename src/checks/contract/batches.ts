import { all, counted, number, verb } from '../../amounts.ts';
import { readShades } from '../../target/wire-schemas.ts';
import { fits, shown } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { answerOf, evidenceOf, lastOf, silenceOf, skusListed } from './asked.ts';
import { isServerError, statusCause } from './error-causes.ts';
import { askedEarly, earlyText } from './imported.ts';
import { cutShort, onPages, pageFault, pageRows } from './pages.ts';

/** Shades per batch import, as the interface gives it. */
const largestBatch = 500;

type Outcome = Pick<CheckResult, 'verdict' | 'explanation' | 'causes'>;

/** A batch of exactly the limit is accepted, and then listed in full: at once, or after a 202 within `visibleMs`. */
export function checkBatchMax(probes: readonly ProbeRow[], visibleMs: number): CheckResult {
  const batch = lastOf(probes, 'batch-max');
  const list = lastOf(probes, 'batch-max:list');
  return {
    id: 'contract.batch-max',
    title: `A batch of ${largestBatch} shades is accepted and listed in full`,
    expected: { import: '2xx', listed: batch?.items ?? largestBatch },
    observed: { import: answerOf(batch), listed: listedIn(list) ?? answerOf(list) },
    ...judgeBatchMax(batch, list, visibleMs),
    evidence: evidenceOf(batch, list),
  };
}

/** A batch over the limit is refused with a 4xx, and nothing of it is listed afterwards. */
export function checkBatchOver(probes: readonly ProbeRow[]): CheckResult {
  const batch = lastOf(probes, 'batch-over');
  const list = lastOf(probes, 'batch-over:list');
  return {
    id: 'contract.batch-over',
    title: `A batch of ${counted(largestBatch + 1, 'shade')} is refused, and nothing of it stored`,
    expected: { import: '4xx', listed: 0 },
    observed: { import: answerOf(batch), listed: listedIn(list) ?? answerOf(list) },
    ...judgeBatchOver(batch, list),
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
      causes:
        isServerError(batch) || batch.status === null
          ? statusCause(batch)
          : [shown('import-limit-too-low', { shades: sent, status: batch.status }, [batch.seq])],
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
      causes:
        list.status === 404
          ? [fits('shades-missing', { imported: sent, listed: 0 }, [batch.seq, list.seq])]
          : statusCause(list),
    };
  }
  const fault = pageFault(list);
  if (fault !== undefined)
    return {
      verdict: 'fail',
      explanation: `The batch was accepted, but its list has no end: ${fault}.`,
      causes: [shown('pages-in-a-circle', { page: pageRows(list).length }, [list.seq])],
    };
  const found = listedIn(list);
  if (found === undefined) {
    return { verdict: 'inconclusive', explanation: 'The batch was accepted, but its list cannot be read.' };
  }
  const repeated = (skusListed(list)?.length ?? found) - found;
  if (repeated > 0)
    return {
      verdict: 'fail',
      explanation: `${counted(sent, 'shade')} ${verb(sent, 'was', 'were')} accepted, and ${number(repeated)} of the ${number(found + repeated)} entries listed${onPages(list)} ${verb(repeated, 'repeats', 'repeat')} a SKU.`,
      causes: [shown('sku-stored-twice', { repeated }, [batch.seq, list.seq])],
    };
  if (found === sent)
    return {
      verdict: 'pass',
      explanation: `${all(sent, 'shade')} of the batch ${verb(sent, 'was', 'were')} listed${onPages(list)}${pageRows(list).length > 1 ? ', each once' : ''}.`,
    };
  const excuse = found > sent ? undefined : early ? earlyText : cutShort(list);
  return {
    verdict: excuse === undefined ? 'fail' : 'inconclusive',
    explanation: `${counted(sent, 'shade')} ${verb(sent, 'was', 'were')} accepted and ${number(found)} listed${onPages(list)}${excuse === undefined ? '' : `; ${excuse}`}.`,
    causes: [
      found > sent
        ? fits('foreign-shades', { shades: found - sent }, [batch.seq, list.seq])
        : fits('shades-missing', { imported: sent, listed: found }, [batch.seq, list.seq]),
    ],
  };
}

function judgeBatchOver(batch: ProbeRow | undefined, list: ProbeRow | undefined): Outcome {
  const silence = silenceOf(batch);
  // The catalog is the probe's own, so whatever is listed in it came from this batch, answered or not.
  const stored = list !== undefined && is2xx(list) ? listedIn(list) : list?.status === 404 ? 0 : undefined;
  const sent = batch?.items ?? largestBatch + 1;
  const seqs = [batch, list].flatMap((row) => row?.seq ?? []);
  if (batch !== undefined && is2xx(batch)) {
    return {
      verdict: 'fail',
      explanation: `${counted(sent, 'shade')}, more than the ${largestBatch} of the interface, were answered with ${batch.status}${stored === undefined ? '' : ` and ${number(stored)} of them listed`}.`,
      causes: [
        stored !== undefined && stored > 0 && stored < sent
          ? shown('import-truncated', { sent, listed: stored }, seqs)
          : (stored === sent ? shown : fits)(
              'import-limit-not-enforced',
              { shades: sent, limit: largestBatch },
              seqs,
            ),
      ],
    };
  }
  if (stored !== undefined && stored > 0) {
    return {
      verdict: 'fail',
      explanation: `The batch was answered with ${answerOf(batch)}, yet ${number(stored)} of its ${counted(sent, 'shade')} ${verb(stored, 'is', 'are')} listed.`,
      causes: [
        batch?.status !== undefined && batch.status !== null && batch.status < 500
          ? shown('refused-import-stored', { status: batch.status, listed: stored }, seqs)
          : fits('import-limit-not-enforced', { shades: sent, limit: largestBatch }, seqs),
      ],
    };
  }
  if (batch === undefined || silence !== undefined) {
    return { verdict: 'inconclusive', explanation: `The batch says nothing: ${silence}.` };
  }
  if (batch.status === null || batch.status < 400 || batch.status > 499) {
    return {
      verdict: 'fail',
      explanation: `A batch over the limit was answered with ${batch.status}, not with a 4xx.`,
      causes: statusCause(batch),
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
