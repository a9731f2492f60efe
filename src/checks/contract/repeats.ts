import { counted, number, verb } from '../../amounts.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { is2xx, type ProbeRow } from '../probes.ts';
import type { CheckResult } from '../verdict.ts';
import { answerOf, evidenceOf, lastOf, silenceOf, skusListed } from './asked.ts';
import { askedEarly, earlyText } from './imported.ts';
import { cutShort } from './pages.ts';

type Outcome = Pick<CheckResult, 'verdict' | 'explanation' | 'causes'>;

/** The same batch again leaves a catalog as it was: a SKU is the identifier of a shade, so that it names one of them. */
export function checkImportAgain(probes: readonly ProbeRow[]): CheckResult {
  const first = lastOf(probes, 'again:import');
  const again = lastOf(probes, 'again:repeat');
  const list = lastOf(probes, 'again:list');
  return {
    id: 'contract.import-again',
    title: 'An import that is sent twice stores each SKU once',
    expected: { listed: first?.items ?? null, 'of it twice': 0 },
    observed: {
      import: answerOf(first),
      'import again': answerOf(again),
      listed: skusListed(list)?.length ?? answerOf(list),
    },
    ...judgeAgain(first, again, list),
    evidence: evidenceOf(first, again, list),
  };
}

function judgeAgain(
  first: ProbeRow | undefined,
  again: ProbeRow | undefined,
  list: ProbeRow | undefined,
): Outcome {
  const skus = skusListed(list);
  if (list === undefined || skus === undefined) {
    return {
      verdict: 'inconclusive',
      explanation: `The list after the imports says nothing: ${silenceOf(list) ?? answerOf(list)}.`,
    };
  }
  const different = new Set(skus).size;
  if (different < skus.length) {
    return {
      verdict: 'fail',
      explanation: `After the same ${counted(first?.items ?? different, 'shade')} were imported again, ${number(skus.length - different)} of ${counted(skus.length, 'entry', 'entries')} of the list ${verb(skus.length - different, 'is', 'are')} repetitions of a SKU.`,
      causes: [
        shown(
          'sku-stored-twice',
          { repeated: skus.length - different },
          [first, again, list].flatMap((row) => row?.seq ?? []),
        ),
      ],
    };
  }
  const silent = [silenceOf(first), silenceOf(again)].find((silence) => silence !== undefined);
  if (first === undefined || again === undefined || silent !== undefined)
    return { verdict: 'inconclusive', explanation: `Not both imports were answered: ${silent}.` };
  if (!is2xx(first) || (again.status ?? 0) >= 500) {
    return {
      verdict: 'inconclusive',
      explanation: `The imports were answered with ${first.status} and ${again.status}, so that one of them may not have happened.`,
    };
  }
  if (different < (first.items ?? 0)) {
    const cut = cutShort(list);
    return {
      verdict: 'inconclusive',
      explanation: `Only ${number(different)} of ${counted(first.items ?? 0, 'shade')} ${verb(different, 'is', 'are')} listed${cut === undefined ? '' : `; ${cut}`}.`,
    };
  }
  return {
    verdict: 'pass',
    explanation: is2xx(again)
      ? `Each of the ${counted(different, 'shade')} is listed once after it was imported twice.`
      : `The same batch again was answered with ${again.status}, and each of its ${counted(different, 'shade')} is listed once.`,
  };
}

/**
 * What a session says of a catalog's size is what the list shows, also where a batch has named one SKU twice. Whether such
 * a batch is refused, and which of the two entries stays, is nowhere shown.
 */
export function checkSkuTwice(probes: readonly ProbeRow[], visibleMs: number): CheckResult {
  const batch = lastOf(probes, 'twice:import');
  const list = lastOf(probes, 'twice:list');
  const session = lastOf(probes, 'twice:create-session');
  const listed = skusListed(list)?.length;
  return {
    id: 'contract.sku-twice',
    title: 'shade_count equals the number of listed shades, also after an import that names one SKU twice',
    expected: { shade_count: listed ?? null },
    observed: {
      import: answerOf(batch),
      listed: listed ?? answerOf(list),
      shade_count: session?.count ?? answerOf(session),
    },
    ...judgeTwice(batch, list, session, visibleMs),
    evidence: evidenceOf(batch, list, session),
  };
}

function judgeTwice(
  batch: ProbeRow | undefined,
  list: ProbeRow | undefined,
  session: ProbeRow | undefined,
  visibleMs: number,
): Outcome {
  const silence = silenceOf(batch);
  if (batch === undefined || silence !== undefined || (batch.status ?? 0) >= 500)
    return {
      verdict: 'inconclusive',
      explanation: `The batch says nothing: ${silence ?? batch?.status}.`,
    };
  const listed = skusListed(list)?.length;
  if (list === undefined || listed === undefined)
    return {
      verdict: 'inconclusive',
      explanation: `The list after it says nothing: ${silenceOf(list) ?? answerOf(list)}.`,
    };
  const count = session?.count ?? undefined;
  if (session === undefined || count === undefined)
    return {
      verdict: 'inconclusive',
      explanation: `No session says how many shades there are: ${silenceOf(session) ?? answerOf(session)}.`,
    };
  const became = is2xx(batch) ? 'accepted' : `refused with ${batch.status}`;
  if (count === listed)
    return {
      verdict: 'pass',
      explanation: `The batch was ${became}; ${counted(listed, 'shade')} ${verb(listed, 'is', 'are')} listed then, and a session says so.`,
    };
  const early = askedEarly(list, batch.status === 202 ? (batch.answered_ns ?? 0) + visibleMs * 1e6 : null);
  const excuse = (count > listed ? cutShort(list) : undefined) ?? (early ? earlyText : undefined);
  return {
    verdict: excuse === undefined ? 'fail' : 'inconclusive',
    explanation: `The batch was ${became}; ${counted(listed, 'shade')} ${verb(listed, 'is', 'are')} listed then, but a session says that there are ${number(count)}${excuse === undefined ? '' : `; ${excuse}`}.`,
    causes: twiceCauses(batch, list, session, count),
  };
}

/** The batch has one entry more than SKUs. */
function twiceCauses(batch: ProbeRow, list: ProbeRow, session: ProbeRow, count: number): Suspect[] {
  const skus = skusListed(list) ?? [];
  const seqs = [batch.seq, list.seq, session.seq];
  const repeated = skus.length - new Set(skus).size;
  if (repeated > 0) return [fits('sku-stored-twice', { repeated }, seqs)];
  // The list may be behind, too: then it would not show what the batch has brought at all.
  const isListed = is2xx(list) && skus.length >= (batch.items ?? 0) - 1;
  return count === skus.length + 1 && isListed
    ? [shown('sku-counted-twice', { said: count, listed: skus.length }, seqs)]
    : [
        fits('shade-count-wrong', { said: count, expected: skus.length }, seqs),
        ...(count > skus.length
          ? [fits('shades-missing', { imported: count, listed: skus.length }, seqs)]
          : []),
      ];
}
