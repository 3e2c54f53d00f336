// The people of lists who fit conditions, by pages, each by the first of their subscriptions that fits.
import type { AudienceContext } from '#src/audience/context.ts';
import { listStore } from '#src/audience/lists/store.ts';
import { presentSubscriber } from '#src/audience/subscribers/schema.ts';
import { type Filter, fits, valuesOf } from '../campaigns/filter.ts';
import { peopleStore } from '../campaigns/people-store.ts';
import { openLists } from './count.ts';

/** People that a call looks at: some 20 ms. */
const LOOKED_AT = 1_000;

/** The cursor is the hash of the last person who was looked at. Rejects with `not_found` for a list that does not exist. */
export const segmentPeople = (
  { files, clock }: Pick<AudienceContext, 'files' | 'clock'>,
  tenantId: string,
  listIds: readonly string[],
  filter: Filter,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
) =>
  files.read(tenantId, (db) => {
    const now = clock.now();
    const lists = openLists(db, listIds);
    const data: ReturnType<typeof presentSubscriber>[] = [];
    let last: Buffer | null = cursor === undefined ? null : Buffer.from(cursor, 'base64url');
    let looked = 0;
    for (const person of peopleStore(db).walk(lists, last, { first: limit, limit: LOOKED_AT })) {
      looked += 1;
      last = person[0].address_hash;
      const fitting = person.find((row) => fits(filter, valuesOf(row), row.confirmed_at, { ...row, now }));
      const list = fitting && listStore(db).bySeq(fitting.list_seq);
      if (list) data.push(presentSubscriber(list, fitting));
      if (data.length === limit) break;
    }
    const isEnd = data.length < limit && looked < LOOKED_AT;
    return { data, next_cursor: isEnd || last === null ? null : last.toString('base64url') };
  });
