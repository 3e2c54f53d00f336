// Forms on websites by which people write to a practice.
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { DAY } from '#src/kernel/time.ts';
import { hasUnproved, removeUnproved } from './prove.ts';
import { publicFormRoutes } from './public-routes.ts';
import { formRoutes } from './routes.ts';
import { postStore } from './store.ts';

/** For the limits of a day, and for what became of mails of the last two. */
const COUNTED_MS = 2 * DAY;

export const openForms = (
  base: Base,
  { intake, answering }: { readonly intake: Intake; readonly answering: Pick<Answering, 'usual'> },
) => {
  const { config, storage, clock } = base;
  const files = storage.tenants;
  // The links of all public forms have this key; what each is for is in its token.
  const linkKey = base.key('audience links');
  return {
    routes: [
      ...formRoutes({ files, clock, answering, linkKey, origin: config().service.public_origin }),
      ...publicFormRoutes({ ...base, answering, intake, scan: intake.scanners.received, linkKey }),
    ],
    nightly: [
      {
        what: 'what was sent by forms and not proved',
        run: async (id, signal, pace) => {
          const now = clock.now();
          const counted = now - COUNTED_MS;
          while (!signal.aborted && (await files.read(id, (db) => hasUnproved(db, now))))
            await pace(() => files.write(id, (db) => removeUnproved(db, now)));
          const isOld = await files.read(id, (db) => postStore(db).hasGone(counted));
          if (isOld) await files.write(id, (db) => postStore(db).removeGone(counted));
        },
      },
    ],
  } satisfies Room & Record<string, unknown>;
};
