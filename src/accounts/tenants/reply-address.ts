// Where answers to a message go that names no address for them: what its route, its project or its practice says, in this order,
// else the practice's mailbox at this service while it receives mail. An address of that mailbox counts only while it takes mail.

import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import { type PracticeRow, type RouteRow, tenantStore } from './store.ts';

/** What is asked of the rooms above this one, which know the mailboxes. */
export interface Answering {
  /** Whether mail there arrives; null for an address that is not at a host of this service for the practice. */
  takes(db: TenantDb, address: Address): boolean | null;
  /** An address of the practice that takes answers to mail from the host; null where none does. */
  usual(db: TenantDb, sendingHost: string): Address | null;
}

/** Throws `invalid_request` for an address at which this service would refuse the answers. */
export const requireArriving = (
  db: TenantDb,
  { takes }: Answering,
  address: string | null | undefined,
): void => {
  if (address && takes(db, address as Address) === false)
    throw unfit([
      {
        path: 'body.reply_address',
        message: say`no mail arrives there: expected an address whose mailbox is open (see the settings for mail received), or one outside of this service`,
      },
    ]);
};

/** Null where the mail leaves without Reply-To. `sendingHost` is the host in From. */
export const replyAddressOf = (
  db: TenantDb,
  answering: Answering,
  route: Pick<RouteRow, 'reply_address'> | null,
  projectId: string | null,
  sendingHost: string,
): Address | null => {
  const store = tenantStore(db);
  const practice = store.practice();
  if (practice.adds_reply_to === 0) return null;
  const project = projectId === null ? undefined : store.project(projectId);
  const chosen = [route?.reply_address, project?.reply_address, practice.reply_address].find(
    (address) => address && answering.takes(db, address as Address) !== false,
  );
  return (chosen as Address | undefined) ?? answering.usual(db, sendingHost);
};

/** The address with the practice's name, which mail programs show in its place. */
export const replyMailbox = ({ name }: Pick<PracticeRow, 'name'>, address: Address): Mailbox => ({
  address,
  name,
});
