// Whose the mails are that left in this step: the return path names tenant and recipient, as for a report that comes back.
import type { HandedOver, Scene } from '../scene.ts';
import {
  type Copy,
  inFile,
  type Mail,
  type MailFacts,
  type Memory,
  present,
  type TenantMemory,
} from './memory.ts';
import { row, rows } from './sql.ts';

const TOKEN = /^b\+1([a-z2-7]{32})@bounce\./;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS = 5;
const RECIPIENT_BITS = 48n;
/** Tenant, recipient and the HMAC, 20 bytes. */
const HMAC_BITS = 80n;

const targetOf = (returnPath: string): { readonly number: number; readonly recipientId: number } | null => {
  const token = TOKEN.exec(returnPath.toLowerCase())?.[1];
  if (token === undefined) return null;
  let bits = 0n;
  for (const letter of token) bits = (bits << BigInt(BITS)) | BigInt(ALPHABET.indexOf(letter));
  const target = bits >> HMAC_BITS;
  return {
    number: Number(target >> RECIPIENT_BITS),
    recipientId: Number(target & ((1n << RECIPIENT_BITS) - 1n)),
  };
};

const FACTS = `SELECT r.id, r.address, r.status, m.seq AS message_seq, m.id AS message_id, m.internet_message_id, m.project_id,
    m.route_id, m.channel, m.source, m.scheduled_at
  FROM recipients r JOIN messages m ON m.seq = r.message_seq WHERE r.id = ?`;

const factsIn = (tenant: TenantMemory, recipientId: number): MailFacts | null =>
  inFile(tenant, (db) => row<MailFacts>(db, FACTS, recipientId) ?? null);

/** As the relay read it, octet by octet. */
const inUtf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

/** Erased people and old messages have a keyed hash there; then the Message-ID says whether it is that mail, or one of another host. */
const isTo = ({ address, internet_message_id }: MailFacts, { recipient, messageId }: HandedOver): boolean =>
  address.startsWith('#')
    ? internet_message_id === `<${messageId}>`
    : [recipient, inUtf8(recipient)].some((one) => one.toLowerCase() === address.toLowerCase());

const resolve = (memory: Memory, sent: HandedOver, index: number): Mail | null => {
  const target = targetOf(sent.returnPath);
  if (target === null) return null;
  const here = new Set(present(memory));
  let fallback: Mail | null = null;
  for (const { byNumber } of memory.hosts) {
    const tenant = memory.tenants.get(byNumber.get(target.number) ?? '');
    if (tenant === undefined) continue;
    const isPresent = here.has(tenant);
    const facts = isPresent ? factsIn(tenant, target.recipientId) : null;
    const { recipientId } = target;
    const key = `${tenant.id} ${recipientId} ${sent.messageId}`;
    const copy: Copy = memory.copies.get(key) ?? {
      ...{
        tenant,
        recipientId,
        messageId: sent.messageId,
        sent: [],
        settledFrom: Number.POSITIVE_INFINITY,
        releases: 0,
      },
    };
    const mail = { sent, index, tenant, recipientId, facts, isPresent, copy };
    if (facts !== null && isTo(facts, sent)) return mail;
    fallback ??= mail;
  }
  return fallback;
};

/** After a start: an outcome that is stored is stored for good. */
const settleCopies = (memory: Memory, handedOver: readonly HandedOver[]): void => {
  for (const { tenant, isNew, former } of memory.news) {
    for (const id of former.held)
      if (!tenant.standing.held.has(id))
        for (const copy of memory.copies.values())
          if (copy.tenant === tenant && copy.recipientId === id) copy.releases += 1;
    if (!isNew) continue;
    const queued = new Set(
      inFile(tenant, (db) => rows<{ id: number }>(db, 'SELECT recipient_id AS id FROM queue')).map(
        ({ id }) => id,
      ),
    );
    for (const copy of memory.copies.values())
      if (copy.tenant === tenant)
        copy.settledFrom = queued.has(copy.recipientId)
          ? Number.POSITIVE_INFINITY
          : Math.min(copy.settledFrom, handedOver.length);
  }
};

/** To be called after the files have been looked at. */
export const lookAtMails = (scene: Scene, memory: Memory): void => {
  const { handedOver } = scene.peers;
  settleCopies(memory, handedOver);
  const mails: Mail[] = [];
  for (; memory.looked.mails < handedOver.length; memory.looked.mails += 1) {
    const mail = resolve(memory, handedOver[memory.looked.mails] as HandedOver, memory.looked.mails);
    if (mail === null) continue;
    mails.push(mail);
    memory.copies.set(`${mail.tenant.id} ${mail.recipientId} ${mail.sent.messageId}`, mail.copy);
  }
  memory.mails = mails;
};
