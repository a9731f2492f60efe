import type { History } from '../../../history/history.ts';
import { referenceConventions } from '../../../target/profile.ts';
import { type AnswerField, answerFields } from '../../../vocabulary/analytics.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type AnswerRow, cellNames, type JudgedAnswers } from '../compare/answer-row.ts';
import type { Fit } from '../compare/fit.ts';
import type { KnownAnswer } from './known-answers.ts';

/** An answer that a cause is held against. */
export interface HeldAnswer {
  readonly row: AnswerRow;
  /** Its place among the answers. */
  readonly place: number;
  /** Undefined where not every session that it has to count is known. */
  readonly known: KnownAnswer | undefined;
}

/** What the rows need of a table. */
type AskedTable = Pick<JudgedAnswers, 'rows' | 'search' | 'allowed' | 'keys' | 'known'>;

/** What causes are held against. */
export interface AnswerEvidence {
  readonly history: Pick<History, 'profile'>;
  readonly table: AskedTable;
  /** Those about the fewest sessions first: they refute a cause at the least expense. */
  readonly answers: readonly HeldAnswer[];
  readonly wrong: Readonly<Record<AnswerField, readonly AnswerRow[]>>;
}

/** What a cause explains: the fields, and the answers in which they are wrong. */
export interface Explained {
  readonly fields: readonly AnswerField[];
  readonly seqs: readonly number[];
}

/** One cause that answers can have, and what each of them has to be by it. */
export interface Row {
  readonly suspect: (explained: Explained) => Suspect;
  readonly fields: readonly AnswerField[];
  /** The cheapest explanation is named. 0: nothing else can have shown it, whatever else fits the same values. */
  readonly price: number;
  /** `fits`: the value is just that by the row; `misfits`: it is another; `unknown`: nothing is known. */
  readonly fit: (answer: HeldAnswer, field: AnswerField) => Fit;
  /** Zeros and empty lists show it as well: something else does that they are no accident. */
  readonly isShownByZeros?: boolean;
  /** The fewest fields in which it has to fit: in one alone it may fit by chance. */
  readonly leastFields?: number;
  /** The fewest different values that it has to give for nothing else to be likely. */
  readonly leastValues?: number;
  /** It says nothing of right answers, or was chosen among many by a few sessions: others would fit as well. */
  readonly isLoose?: boolean;
}

/** A cause that explains every answer in some fields. */
export interface FieldExplanation extends Explained {
  readonly suspect: Suspect;
  readonly price: number;
  /** Whether enough values are just as it says, for a claim that could have been refuted. */
  readonly isTold: boolean;
}

/** What is known of wrong answers; `known`: those all of whose sessions are known. */
export function evidenceOf(
  history: Pick<History, 'profile'>,
  table: AskedTable,
  known: readonly KnownAnswer[],
): AnswerEvidence {
  const answers = table.rows.map((row, place) => ({
    row,
    place,
    known: known.find((each) => each.row === row),
  }));
  const size = ({ known: own, row }: HeldAnswer): number =>
    own?.sessions.length ?? row.totalSessions.expected?.max ?? 0;
  const wrongIn = (field: AnswerField): AnswerRow[] =>
    table.rows.filter((row) => row[cellNames[field]].verdict === 'fail');
  return {
    history,
    table,
    answers: answers.toSorted((a, b) => size(a) - size(b)),
    wrong: {
      total_sessions: wrongIn('total_sessions'),
      avg_shades_per_session: wrongIn('avg_shades_per_session'),
      cart_intent_rate: wrongIn('cart_intent_rate'),
      top_shades: wrongIn('top_shades'),
    },
  };
}

/** Right as it is. */
export function asJudged({ row }: HeldAnswer, field: AnswerField): Fit {
  const { verdict } = row[cellNames[field]];
  return verdict === 'pass' ? 'fits' : verdict === 'fail' ? 'misfits' : 'unknown';
}

/** What wrong answers have to be, where nothing is said of right ones. */
export function ofWrong(is: (row: AnswerRow, field: AnswerField) => boolean): Row['fit'] {
  return (answer, field) => {
    const judged = asJudged(answer, field);
    return judged === 'misfits' && is(answer.row, field) ? 'fits' : judged;
  };
}

/** The value of a field is more than a zero or an empty list, which much explains that counts nothing. */
export function isTelling(row: AnswerRow, field: AnswerField): boolean {
  const { returned } = row[cellNames[field]];
  return Array.isArray(returned) ? returned.length > 0 : (returned ?? 0) !== 0;
}

/**
 * The explanations among rows: a row explains a field if every answer, the right ones too, is what it has to be by it. What
 * explains only zeros explains nothing. Rows with the same cause are one explanation.
 */
export function explanationsBy(rows: readonly Row[], evidence: AnswerEvidence): FieldExplanation[] {
  const found = rows.flatMap((row): FieldExplanation[] => {
    const explained = explainedBy(row, evidence);
    const isShown =
      row.isShownByZeros === true ||
      explained.some((field) => evidence.wrong[field].some((each) => isTelling(each, field)));
    return explained.length >= (row.leastFields ?? 1) && isShown
      ? [explanation(row, explained, evidence)]
      : [];
  });
  return [...Map.groupBy(found, ({ suspect }) => JSON.stringify(suspect.cause)).values()].flatMap(
    ([first, ...same]) =>
      first === undefined
        ? []
        : {
            ...first,
            price: Math.min(first.price, ...same.map(({ price }) => price)),
            fields: answerFields.filter((field) =>
              [first, ...same].some(({ fields }) => fields.includes(field)),
            ),
          },
  );
}

/** Fewer different values may be so by chance. Ours. */
const fewestValues = 2;

function explanation(
  { isLoose = false, isShownByZeros = false, leastValues = fewestValues, price, suspect }: Row,
  fields: AnswerField[],
  { wrong }: AnswerEvidence,
): FieldExplanation {
  const values = new Set(
    fields.flatMap((field) =>
      wrong[field].flatMap((row) =>
        isTelling(row, field) ? `${field} ${JSON.stringify(row[cellNames[field]].returned)}` : [],
      ),
    ),
  );
  const isTold = price === 0 || (!isLoose && (isShownByZeros || values.size >= leastValues));
  const seqs = [...new Set(fields.flatMap((field) => wrong[field]).map(({ seq }) => seq))];
  const { cause, seqs: own = seqs.slice(0, 4), strength } = suspect({ fields, seqs });
  return { suspect: { cause, strength, seqs: own }, price, fields, seqs, isTold };
}

/** The fields of which a row explains every answer. What it gives for one answer is made once, for all of them. */
function explainedBy({ fields, fit }: Row, { answers, wrong }: AnswerEvidence): AnswerField[] {
  let open = fields
    .filter((field) => wrong[field].length > 0)
    .map((field) => ({ field, fitted: 0, unknown: 0 }));
  for (const answer of answers) {
    if (open.length === 0) break;
    open = open.filter((each) => {
      const found = fit(answer, each.field);
      if (answer.row[cellNames[each.field]].verdict === 'fail')
        each[found === 'fits' ? 'fitted' : 'unknown']++;
      return found !== 'misfits';
    });
  }
  // A mean is not known as often as counts are.
  const isMean = (field: AnswerField): boolean =>
    field === 'avg_shades_per_session' || field === 'cart_intent_rate';
  return open.flatMap(({ field, fitted, unknown }) =>
    fitted > 0 && (isMean(field) || unknown === 0) ? field : [],
  );
}

/** Conventions of analytics that a profile can tell. */
export type Convention = Exclude<keyof typeof referenceConventions, 'decimals'>;

/** Whether the profile tells a convention that is not the usual one, so that it may be an error in the profile. */
export function isTold({ profile }: Pick<History, 'profile'>, convention: Convention): boolean {
  const promised = String(profile.analytics[convention]);
  return promised !== 'discover' && promised !== String(referenceConventions[convention]);
}

/** A convention that answers show otherwise than promised: a profile that is not true, or what `broken` says of the target. */
export function unlikePromised(
  history: Pick<History, 'profile'>,
  convention: Convention,
  found: string,
  broken: (promised: string) => Suspect,
): Suspect {
  const promised = String(history.profile.analytics[convention]);
  return isTold(history, convention)
    ? fits('profile-false', { field: `analytics.${convention}`, told: promised, found })
    : broken(promised);
}
