// Whether a person on a campaign's lists gets its message, by which subscription and with which values, or why not. Pure.
import type { SubscriberRow, SubscriberStatus } from '#src/audience/subscribers/store.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import type { Mailing, UnfitValues } from './content.ts';
import { type Filter, fits, valuesOf } from './filter.ts';
import type { Person } from './people-store.ts';

/** No subscription of the person is active: what the first one is instead. */
export type NoConsent = Exclude<SubscriberStatus, 'active'>;
/** Reasons of the same kind; `no_consent`: the ledger has no consent to the channel any more. */
export const withoutConsent: readonly (NoConsent | 'no_consent')[] = [
  'pending',
  'unsubscribed',
  'bounced',
  'complained',
  'no_consent',
];

export interface Chosen {
  readonly subscriber: SubscriberRow;
  readonly values: MergeData;
  readonly leftOut: null;
}

export interface LeftOut {
  readonly subscriber: SubscriberRow;
  readonly leftOut: NoConsent | UnfitValues;
}

export interface Choosing {
  readonly filter: Filter;
  readonly mailing: Pick<Mailing, 'unfitValues'>;
  /** Who became active later is no part of the campaign. */
  readonly startedAt: number;
  /** Whether the ledger has the consent of that subscription; asked of those on several lists. */
  readonly hasConsent: (subscriber: SubscriberRow) => boolean;
}

/** Null: the campaign is not for that person. */
export const choose = (
  person: Person,
  { filter, mailing, startedAt, hasConsent }: Choosing,
): Chosen | LeftOut | null => {
  const fitting = person
    .map((subscriber) => ({ subscriber, values: valuesOf(subscriber) }))
    .filter(({ subscriber, values }) =>
      fits(filter, values, subscriber.confirmed_at, { ...subscriber, now: startedAt }),
    );
  let unproven: Chosen | null = null;
  let unfit: LeftOut | null = null;
  let inactive: LeftOut | null = null;
  for (const { subscriber, values } of fitting) {
    const { status, confirmed_at } = subscriber;
    if (status !== 'active') {
      inactive ??= { subscriber, leftOut: status };
      continue;
    }
    if ((confirmed_at ?? 0) > startedAt) continue;
    const leftOut = mailing.unfitValues(values);
    if (leftOut !== null) unfit ??= { subscriber, leftOut };
    else if (person.length === 1 || hasConsent(subscriber)) return { subscriber, values, leftOut };
    else unproven ??= { subscriber, values, leftOut };
  }
  return unproven ?? unfit ?? inactive;
};
