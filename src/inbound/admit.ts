// Whether mail to an address at a receiving host is taken: asked at RCPT, before any content, so that what is not wanted is refused
// there, with a reason, and nothing has to be sent back later. For a return path it is asked once the content is known to be no report.

import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { domainRegistryStore } from '#src/domains/registry-store.ts';
import type { Base } from '#src/kernel/base.ts';
import { DISK } from '#src/kernel/db/file-states.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { createRateLimiter } from '#src/kernel/rate-limit.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type {
  Admission,
  AdmissionRefusal,
  AskedRecipient,
  AskingMail,
  MailboxRecipient,
  ReturnPath,
} from '#src/mail/reception.ts';
import { mailboxFor, namesSender } from './recipient-rules.ts';
import { inboundRegistryStore, inboundSettingsStore } from './settings-store.ts';
import { countedBytes, inboundStore } from './store.ts';

const MIB = 1_024 * 1_024;

/** Whether so many bytes more fit into what the tenant may keep. */
export const hasRoom = (db: TenantDb, bytes: number, limits: Limits): boolean =>
  inboundStore(db).storedBytes() + bytes <= limits.inbound_mib * MIB;

/** The share of `quota` for mail held and quarantined: strangers' spam leaves room for the inbox. */
export const setAsideQuota = (quota: number): number => Math.floor(quota / 4);

/** Like `hasRoom`, for mail that does not go to the inbox. */
export const hasRoomAside = (db: TenantDb, bytes: number, limits: Limits): boolean =>
  bytes === 0 || inboundStore(db).setAsideBytes() + bytes <= setAsideQuota(limits.inbound_mib * MIB);

const judge = (
  db: TenantDb,
  { localPart, named }: AskedRecipient,
  { mailFrom, size }: AskingMail,
  limits: Limits,
): AdmissionRefusal | null => {
  const { enabledAt, options } = inboundSettingsStore(db).current();
  if (enabledAt === null) return 'disabled';
  const { mode, isNamed } = mailboxFor(options, localPart);
  if (named && !isNamed) return 'no_mailbox';
  if (mode === 'bounce') return 'no_mailbox';
  if (mode === 'reject') return 'unwanted';
  if (mailFrom !== '' && namesSender(options.senders.block, mailFrom)) return 'blocked';
  if (options.max_bytes !== null && size > options.max_bytes) return 'too_large';
  return hasRoom(db, countedBytes(size), limits) ? null : 'full';
};

/** What it returns rejects where a file cannot be read. */
export const createAdmission = (
  { storage, clock, limits }: Pick<Base, 'storage' | 'clock' | 'limits'>,
  answering: Answering,
) => {
  const { platform, tenants: files, states } = storage;
  const rates = createRateLimiter();
  /** Id of the tenant that sends from the host and receives mail; null if there is none. */
  const receiverAt = (host: string): string | null =>
    platform.peek((db) => {
      const holder = domainRegistryStore(db).holderOf(host);
      return holder !== null && inboundRegistryStore(db).has(holder) ? holder : null;
    });
  const mayCome = (tenantId: string): boolean =>
    rates.take(tenantId, clock.now(), limits().inboundPerTenant).allowed;

  const admit = async (recipient: AskedRecipient, mail: AskingMail): Promise<Admission> => {
    const tenantId = receiverAt(recipient.host);
    if (tenantId === null) return { refusal: 'disabled' };
    const refusal = await files.read(tenantId, (db) => judge(db, recipient, mail, limits()));
    if (refusal !== null) return { refusal };
    if (states.of(DISK) !== undefined) return { refusal: 'no_disk' };
    return mayCome(tenantId) ? { tenantId } : { refusal: 'busy' };
  };

  /** Those of the return paths whose tenants receive mail; or why none of it can come now. */
  const admitAnswers = (
    returnPaths: readonly ReturnPath[],
  ): readonly MailboxRecipient[] | { readonly refusal: AdmissionRefusal } => {
    const recipients = platform.peek((db) =>
      returnPaths.flatMap(({ address, target }): MailboxRecipient[] => {
        const tenantId = registryStore(db).anyByNumber(target.tenantNumber)?.id;
        if (tenantId === undefined || !inboundRegistryStore(db).has(tenantId)) return [];
        return [{ tenantId, address, answers: target.recipientId }];
      }),
    );
    if (recipients.length > 0 && states.of(DISK) !== undefined) return { refusal: 'no_disk' };
    return recipients.every(({ tenantId }) => mayCome(tenantId)) ? recipients : { refusal: 'busy' };
  };

  /** The address that takes what people write to a sending host; null where its tenant receives nothing. */
  const writeTo = async (host: string): Promise<Address | null> => {
    const tenantId = receiverAt(host);
    return tenantId === null ? null : files.read(tenantId, (db) => answering.usual(db, host));
  };

  return { admit, admitAnswers, writeTo };
};
