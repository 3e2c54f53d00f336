// What one request changes under another name than the door gave it.
import type { Change } from '#src/kernel/change.ts';
import type { AccountRow } from './account-store.ts';

/** The same request, and the audit notes for both that it was written down. */
const like = (change: Change, over: Partial<Pick<Change, 'actor' | 'action'>>): Change => ({
  ...change,
  ...over,
  get recorded() {
    return change.recorded;
  },
  set recorded(recorded) {
    change.recorded = recorded;
  },
});

/** The change of someone whom the request let in: when it began they were nobody. */
export const changeBy = (change: Change, { id, email }: Pick<AccountRow, 'id' | 'email'>): Change =>
  like(change, { actor: { kind: 'member', id, name: email } });

/** A change that another one brings with it. */
export const changeAs = (change: Change, action: string): Change => like(change, { action });
