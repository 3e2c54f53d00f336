// Many messages by one request: a few under way at a time, so that they share commits and neither memory nor the event
// loop is theirs alone; and what is said of each.
import { type AppError, errorTable, toAppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Accepted } from './accept.ts';
import type { SendAnswer } from './schema.ts';

/** As many as a commit takes in its time, twice: the next wait while one is synced. */
const AT_ONCE = 64;
/** At most so long new ones are begun before others get their turn on the event loop. */
const SLICE_MS = 5;

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets others have the event loop whenever a slice is used up. */
export const createSlices = (): (() => Promise<void> | undefined) => {
  let end = performance.now() + SLICE_MS;
  return () => {
    if (performance.now() < end) return undefined;
    return breathe().then(() => {
      end = performance.now() + SLICE_MS;
    });
  };
};

/** Results in the order of `items`; begun in that order, too. `work` never rejects. */
export const workThrough = async <T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = new Array(items.length);
  const pause = createSlices();
  let running = 0;
  let roomMade: (() => void) | null = null;
  const begin = async (item: T, index: number): Promise<void> => {
    running += 1;
    results[index] = await work(item, index);
    running -= 1;
    roomMade?.();
  };
  const begun: Promise<void>[] = [];
  for (const [index, item] of items.entries()) {
    if (running >= AT_ONCE) {
      await new Promise<void>((resolve) => {
        roomMade = resolve;
      });
      roomMade = null;
    }
    await pause();
    begun.push(begin(item, index));
  }
  await Promise.all(begun);
  return results;
};

/** `{status_code, code, error, hint, …}` */
export interface ItemRefusal {
  readonly status_code: number;
  readonly code: string;
  readonly error: string;
  readonly hint: string;
}

export type Outcome =
  | { readonly kind: 'accepted'; readonly answer: SendAnswer }
  /** `isKept`: as failed. `mayPass`: the same request may be answered otherwise when it is repeated. */
  | {
      readonly kind: 'refused';
      readonly refusal: ItemRefusal;
      readonly isKept: boolean;
      readonly mayPass: boolean;
    };

/** Problems of one item are told by where it stands in the whole: `body[3].to`. */
const rooted = (extra: object, root: string): object =>
  'fields' in extra && Array.isArray(extra.fields)
    ? {
        ...extra,
        fields: extra.fields.map((field: { path: string }) => ({
          ...field,
          path: field.path.replace(/^body(?=\.|$)/, root),
        })),
      }
    : extra;

/** What the service itself could not do is worth another try; what it decided is not. */
const mayPass = ({ status, code }: AppError): boolean => status >= 500 || code === 'idempotency_in_progress';

const refusedAs = (error: AppError, root: string, isKept: boolean): Outcome => {
  const { code, error: message, hint, ...extra } = error.toJSON();
  return {
    kind: 'refused',
    refusal: { status_code: errorTable[code].status, code, error: message, hint, ...rooted(extra, root) },
    isKept,
    mayPass: mayPass(error),
  };
};

/** What became of one item, whatever it throws; `root` is where it stands in the request. */
export const outcomeOf = async (
  root: string,
  log: Log,
  attempt: () => Promise<Accepted>,
): Promise<Outcome> => {
  try {
    const accepted = await attempt();
    return accepted.kind === 'accepted'
      ? { kind: 'accepted', answer: accepted.answer }
      : refusedAs(accepted.error, root, true);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === 'internal_error') log.error({ err: thrown, item: root }, 'an item failed by a defect');
    return refusedAs(error, root, false);
  }
};

/** 202 where at least one was accepted, be it that all its recipients are suppressed; else 422. */
export const statusOf = (outcomes: readonly Outcome[]): 202 | 422 =>
  outcomes.some(({ kind }) => kind === 'accepted') ? 202 : 422;
