// The order of the calls on a page: record by record, and of each first how one is made, then how it is looked at, changed, acted on and
// deleted, whatever order they are declared in. Pure.
import type { Route } from '#src/kernel/route.ts';

type Call = Pick<Route, 'method' | 'path'>;

const IN_PRACTICE = '/api/practices/{id}';

const pathIn = ({ path }: Call): string =>
  path.startsWith(`${IN_PRACTICE}/`) ? path.slice(IN_PRACTICE.length) : path;

/** `/messages/{messageID}/source` names one of `/messages`. */
const recordsOf = (call: Call): string | undefined => /^(.*)\/\{/.exec(pathIn(call))?.[1];

const isBelow = (records: string, path: string): boolean =>
  path === records || path.startsWith(`${records}/`);

/** What stands alone: the first word in a practice, `/held-mail` of `/held-mail/release`. */
const subjectOf = (call: Call): string =>
  call.path.startsWith(`${IN_PRACTICE}/`) ? `/${pathIn(call).split('/')[1]}` : call.path;

const steps: Readonly<Record<Route['method'], number>> = { get: 1, put: 2, patch: 2, post: 3, delete: 4 };
const FIRST = 0;

/** Within a step, and among records, what is declared first goes first. */
export const inReadingOrder = <C extends Call>(calls: readonly C[]): readonly C[] => {
  const kinds = new Set(calls.flatMap((call) => recordsOf(call) ?? []));
  const placed = calls.map((call) => {
    const around = [...kinds].filter((records) => isBelow(records, pathIn(call)));
    const records = around.toSorted((a, b) => b.length - a.length)[0];
    const makesOne = call.method === 'post' && pathIn(call) === records;
    return { call, group: records ?? subjectOf(call), step: makesOne ? FIRST : steps[call.method] };
  });
  return [...Map.groupBy(placed, ({ group }) => group).values()].flatMap((group) =>
    group.toSorted((a, b) => a.step - b.step).map(({ call }) => call),
  );
};
