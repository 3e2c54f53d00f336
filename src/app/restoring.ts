// What the rooms do to restored files before anyone else opens them.
import { holdForwards } from '#src/inbound/forwarding/held.ts';
import { holdMail } from '#src/messages/queue/held.ts';
import type { Restoring } from '#src/operations/staging.ts';
import { sessionStore } from '#src/people/sign-in-store.ts';
import { loadSchema } from './schema.ts';

export const restoringOf = (): Restoring => ({
  schema: loadSchema(),
  holds: [holdMail, holdForwards],
  registry: (db) => sessionStore(db).removeAll(),
});
