import { malformedMark, malformedRequests } from '../../../corners/malformed.ts';
import { isObject } from '../../../target/json.ts';
import { findShadeList } from '../../../target/shade-list.ts';
import type { Fault } from '../../../vocabulary/probes.ts';
import { caused, fits, type Suspect, shown } from '../../causes/cause.ts';
import { gotOf, is2xx, type ProbeRow, unanswered } from '../../core/probes.ts';
import { type CheckFinding, evidence, evidenceIfAny, type Verdict } from '../../core/verdict.ts';
import type { MalformedPart } from '../../reasons/contract/malformed.ts';
import { malformedText } from '../../reasons/contract/malformed.ts';
import { expects } from '../../reasons/expected.ts';
import { firstReasons, type Reason, reason } from '../../reasons/reason.ts';
import { requestText } from '../../reasons/words/requests.ts';
import { listUnclear } from '../probes/asked.ts';
import { pageRows } from '../probes/pages.ts';

/** A malformed request, and what is wrong with what became of it. */
interface JudgedRequest {
  readonly row: ProbeRow;
  readonly part: MalformedPart;
  readonly fault?: Reason;
  readonly suspect?: Suspect;
}

/** Answers to other probes without which a request that gets none may have been lost on the way. */
const fewestAnswered = 10;

/**
 * A malformed request gets 4xx, and nothing of it is stored. The interface does not say that a service must be strict: a
 * request that it accepts is a fault only where GET /shades then shows a value that the interface rules out, where the id
 * cannot exist, or where the profile promises a rejection. No finding for runs that sent none.
 */
export function checkMalformedRequests(probes: readonly ProbeRow[]): CheckFinding[] {
  const sent = malformedRequests.flatMap((each) => {
    const name = `invalid:${each.endpoint}:${each.field}:${each.fault}`;
    const row = probes.findLast(({ probe }) => probe === name);
    return row === undefined ? [] : [{ row, part: each }];
  });
  if (sent.length === 0) return [];
  const lists = probes.filter(({ probe }) => probe === 'invalid:list');
  const entries = lists.flatMap(entriesOf);
  const ignoresCatalog = sent.some(
    ({ part: { endpoint, fault }, row }) => endpoint === 'list-shades' && fault === 'absent' && is2xx(row),
  );
  const judged = sent.map(
    (each): JudgedRequest =>
      // Software that drops a parameter which it cannot decode answers as to a request without it.
      ignoresCatalog && each.part.endpoint === 'list-shades' && isUnknownId(each.part) && is2xx(each.row)
        ? each
        : judgeOne(each, entries),
  );
  const wrong = [...judged.filter(({ fault }) => fault !== undefined), ...hanging(sent, probes)];
  const unclear = sent.filter(({ row }) => isUnclear(row));
  const accepted = judged.filter(({ fault, row }) => is2xx(row) && fault === undefined);
  const rejected = sent.length - unclear.length - accepted.length;
  const unreadable = lists.filter((row) => row.status !== 404 && listOf(row) === undefined);
  const verdict: Verdict =
    wrong.length > 0
      ? 'fail'
      : rejected === 0 || unclear.length > 0 || unreadable.length > 0
        ? 'inconclusive'
        : 'pass';
  const acceptances =
    accepted.length === 0
      ? []
      : [
          reason('malformed-accepted', {
            requests: accepted.length,
            of: sent.length,
            parts: accepted.map(({ part }) => partOf(part)),
          }),
        ];
  return [
    {
      id: 'contract.malformed-requests',
      verdict,
      expected: expects('contract.malformed-requests'),
      observed: { sent: sent.length, rejected, accepted: accepted.length, wrong: wrong.length },
      reasons:
        verdict === 'fail'
          ? firstReasons(wrong.flatMap(({ fault }) => fault ?? []))
          : [
              ...(verdict === 'pass' ? [reason('malformed-rejected', { requests: rejected })] : []),
              ...firstReasons(
                unclear.map(({ part, row }) =>
                  reason('malformed-unclear', { ...partOf(part), got: gotOf(row) }),
                ),
              ),
              ...unreadable.slice(0, 1).map(listUnclear),
              ...acceptances,
            ],
      evidence: [
        ...evidenceIfAny(
          'answered otherwise',
          wrong.map(({ row }) => row.seq),
        ),
        evidence(
          'malformed requests',
          sent.map(({ row }) => row.seq),
        ),
      ],
      ...(verdict === 'fail' && caused(suspectsOf(wrong))),
    },
  ];
}

type SentRow = Omit<JudgedRequest, 'fault' | 'suspect'>;

/** The part alone: a reason is data that is written down. */
function partOf({ endpoint, fault, field }: MalformedPart): MalformedPart {
  return { endpoint, field, fault };
}

function judgeOne(sent: SentRow, entries: readonly Entry[]): JudgedRequest {
  const { part, row } = sent;
  const status = row.status ?? 0;
  if (isUnclear(row)) return sent;
  if (status >= 500)
    return { ...sent, fault: reason('malformed-status', { ...partOf(part), status: row.status }) };
  const stored = part.endpoint === 'import-shades' ? entriesWith(part, row, entries) : [];
  if (!is2xx(row))
    return stored.length === 0
      ? sent
      : {
          ...sent,
          fault: reason('malformed-stored', { ...partOf(part), status, listed: stored.length }),
          suspect: shown('refused-import-stored', { status, listed: stored.length }, seqsOf(row, stored)),
        };
  if (isUnknownId(part))
    return {
      ...sent,
      fault: reason('malformed-status', { ...partOf(part), status }),
      suspect: shown('unknown-id-answered', { endpoints: [part.endpoint], statuses: [status] }, [row.seq]),
    };
  if (part.endpoint === 'interact')
    return {
      ...sent,
      fault: reason('malformed-status', { ...partOf(part), status }),
      suspect: shown('malformed-event-accepted', { status, sent: malformedText(part) }, [row.seq]),
    };
  const odd = stored.find(({ shade }) => !hasForm(part.field, shade[part.field]));
  return odd === undefined
    ? sent
    : {
        ...sent,
        fault: reason('malformed-listed', { ...partOf(part), listed: kindOf(odd.shade[part.field]) }),
        suspect: shown(
          'malformed-value-listed',
          { field: part.field, sent: malformedText(part) },
          seqsOf(row, [odd]),
        ),
      };
}

/** An id whose percent-encoding is broken is no id of anything. */
function isUnknownId({ endpoint, fault }: MalformedPart): boolean {
  return (endpoint === 'read-session' || endpoint === 'list-shades') && fault.startsWith('percent-');
}

function isUnclear(row: ProbeRow): boolean {
  return unanswered(row) !== undefined || row.status === null || (row.status >= 300 && row.status < 400);
}

/** One cause for all requests that get 5xx, and those that single requests show. */
function suspectsOf(wrong: readonly JudgedRequest[]): Suspect[] {
  const failed = wrong.filter(({ suspect }) => suspect === undefined);
  const once = new Map(
    wrong.flatMap(({ suspect }) =>
      suspect === undefined ? [] : [[JSON.stringify(suspect.cause), suspect] as const],
    ),
  );
  return [
    ...(failed.length === 0
      ? []
      : [
          shown(
            'malformed-request-fails',
            {
              statuses: [...new Set(failed.flatMap(({ row }) => row.status ?? []))],
              sent: failed.map(({ part }) => `${requestText(part.endpoint)} ${malformedText(part)}`),
            },
            failed.map(({ row }) => row.seq),
          ),
        ]),
    ...once.values(),
  ];
}

/** Faults of which no request gets an answer, although everything else does: the service hangs, or closes the connection. */
function hanging(sent: readonly SentRow[], probes: readonly ProbeRow[]): JudgedRequest[] {
  const lost = probes.filter((row) => row.lost === 'timeout' || row.lost === 'reset');
  if (lost.some((row) => !row.probe.startsWith('invalid:'))) return [];
  if (probes.filter(({ status }) => status !== null).length < fewestAnswered) return [];
  const alike = Map.groupBy(sent, ({ part }) => `${part.endpoint} ${kindOfFault(part.fault)}`);
  return [...alike.values()].flatMap((rows) => {
    const [first] = rows;
    const names = new Set(rows.map(({ row }) => row.probe));
    const all = probes.filter(({ probe }) => names.has(probe));
    const requests = all.length;
    if (first === undefined || requests < 2 || !all.every((row) => lost.includes(row))) return [];
    return [
      {
        ...first,
        fault: reason('malformed-unanswered', { ...partOf(first.part), requests }),
        suspect: fits(
          'requests-unanswered',
          { requests, of: requests, how: [...new Set(all.flatMap((row) => row.lost ?? []))] },
          all.map(({ seq }) => seq),
        ),
      },
    ];
  });
}

function kindOfFault(fault: Fault): string {
  return fault.startsWith('percent-') ? 'percent' : fault.endsWith('-body') ? 'body' : fault;
}

/** An entry of a list, with the request for its page. */
interface Entry {
  readonly shade: Readonly<Record<string, unknown>>;
  readonly seq: number;
}

function entriesOf(list: ProbeRow): Entry[] {
  return pageRows(list).flatMap((page) =>
    (listOf(page) ?? []).map((shade) => ({
      shade: isObject(shade) ? shade : {},
      seq: page.seq,
    })),
  );
}

function listOf(page: ProbeRow): readonly unknown[] | undefined {
  return page.body === null || !is2xx(page) ? undefined : findShadeList(JSON.parse(page.body))?.list;
}

/** The shades of an import, found by the mark that each has in two fields. */
function entriesWith(part: MalformedPart, { catalog_id }: ProbeRow, entries: readonly Entry[]): Entry[] {
  const of = malformedRequests.find((each) => isSame(each, part));
  if (of === undefined || catalog_id === null) return [];
  const mark = malformedMark({ unique: catalog_id }, of);
  return entries.filter(({ shade }) =>
    [shade.sku, shade.name].some((text) => typeof text === 'string' && text.startsWith(mark)),
  );
}

function isSame(a: MalformedPart, b: MalformedPart): boolean {
  return a.endpoint === b.endpoint && a.field === b.field && a.fault === b.fault;
}

/** What the interface says of a shade's field. */
function hasForm(field: string, value: unknown): boolean {
  if (typeof value !== 'string') return !['sku', 'name', 'hex', 'finish'].includes(field);
  return field === 'hex' ? /^#[0-9a-f]{3,8}$/i.test(value) : field !== 'sku' || value !== '';
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 32));
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

function seqsOf(row: ProbeRow, entries: readonly Entry[]): number[] {
  return [row.seq, ...new Set(entries.map(({ seq }) => seq))];
}
