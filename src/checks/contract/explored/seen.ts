import { saidBy } from '../../../model/answer.ts';
import { type ApiCall, isLimited, isLost } from '../../../model/call.ts';
import { type Feature, featuresOf } from '../../../model/features.ts';
import type { Divergence } from '../../../model/judge.ts';
import type { Endpoint } from '../../../vocabulary/requests.ts';

/** What wrong answers have in common, where no known fault explains them. Published as the parameters of a cause. */
interface SeenWrong {
  readonly endpoint: Endpoint;
  readonly kind: Divergence['kind'];
  /** The field or the status; of elements, how many in all answers. */
  readonly of: string;
  readonly wrong: number;
  readonly answers: number;
  /** What all wrong ones have, and some of the right ones. */
  readonly common?: string;
  readonly rightOnes?: number;
}

/** A feature of wrong answers says something if at most this part of the right ones has it. Ours. */
const mostRight = 0.34;
/** With fewer answers whatever they have is chance. */
const fewest = 3;

/** What is wrong in most answers: the first of equals. Undefined where nothing is. */
export function seenWrong(
  calls: readonly ApiCall[],
  divergences: readonly Divergence[],
): { readonly first: Divergence; readonly params: SeenWrong } | undefined {
  const groups = Map.groupBy(divergences, ({ kind, of, op }) => {
    const isOfElement = kind === 'missing' || kind === 'extra' || kind === 'twice';
    return `${op} ${kind} ${isOfElement ? '' : of}`;
  });
  const [most = []] = [...groups.values()].toSorted((a, b) => callsIn(b).size - callsIn(a).size);
  const [first] = most;
  if (first === undefined) return undefined;
  const wrong = callsIn(most);
  const others = new Set(divergences.map(({ call }) => call));
  const asked = calls.filter((call) => call.op === first.op && !isLost(call) && !isLimited(call));
  const right = asked.filter(({ n }) => !others.has(n));
  const { kind, of } = first;
  const elements = most.reduce((sum, { more = 0 }) => sum + 1 + more, 0);
  const isOfElement = kind === 'missing' || kind === 'extra' || kind === 'twice';
  return {
    first,
    params: {
      ...{ endpoint: first.op, kind, of: isOfElement ? String(elements) : of },
      ...{ wrong: wrong.size, answers: asked.length },
      ...commonIn(calls, most, asked, right),
    },
  };
}

const callsIn = (some: readonly Divergence[]): ReadonlySet<number> => new Set(some.map(({ call }) => call));

/** The feature that all wrong ones have and the fewest right ones: of the call, of its session, or of what sent its elements. */
function commonIn(
  calls: readonly ApiCall[],
  wrong: readonly Divergence[],
  asked: readonly ApiCall[],
  right: readonly ApiCall[],
): Pick<SeenWrong, 'common' | 'rightOnes'> {
  const byNumber = new Map(calls.map((call) => [call.n, call]));
  const own = asked.filter(({ n }) => callsIn(wrong).has(n));
  const openerOf = ({ session = -1 }: ApiCall): readonly ApiCall[] => [byNumber.get(session) ?? []].flat();
  const senders = senderOf(calls);
  const subjects: readonly (readonly [string, readonly ApiCall[], readonly ApiCall[]])[] = [
    ['requests', own, right],
    ['sessions', own.flatMap(openerOf), right.flatMap(openerOf)],
    [
      'elements from requests',
      wrong.flatMap((each) => senders(byNumber.get(each.call), each.of)),
      right.flatMap((call) => elementsOf(call).flatMap((name) => senders(call, name))),
    ],
  ];
  const found = subjects.flatMap(([what, bad, good]) =>
    new Set(bad).size < fewest || good.length < fewest
      ? []
      : featuresOf(calls).flatMap(({ has, name }: Feature) => {
          const share = bad.every(has) ? good.filter(has).length / good.length : 1;
          return share <= mostRight
            ? [{ common: `${what} with ${name}`, rightOnes: Math.round(100 * share) }]
            : [];
        }),
  );
  return found.toSorted((a, b) => a.rightOnes - b.rightOnes)[0] ?? {};
}

const elementsOf = (call: ApiCall): readonly string[] => {
  const { events = [], shades = [] } = saidBy(call);
  return [...events.map(({ id }) => id), ...shades.map(({ sku }) => sku ?? '')];
};

/** The calls that sent an element of a catalog or a history. */
function senderOf(
  calls: readonly ApiCall[],
): (read: ApiCall | undefined, name: string) => readonly ApiCall[] {
  const sent = Map.groupBy(
    calls.flatMap((call) =>
      [...(call.events ?? []).map(({ id }) => id), ...(call.shades ?? []).map(({ sku }) => sku ?? '')].map(
        (name) => ({ name: `${call.session ?? call.catalog} ${name}`, call }),
      ),
    ),
    ({ name }) => name,
  );
  return (read, name) => {
    const all = sent.get(`${read?.session ?? read?.catalog} ${name}`) ?? [];
    return all.length === 1 ? all.map(({ call }) => call) : [];
  };
}
