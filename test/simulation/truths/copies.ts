// A recipient gets one copy, and one more for each outcome that the service could not know: the answer was lost, or the process ended
// before it had stored the answer.
import { inFile, type Mail } from './memory.ts';
import { value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

const isTaken = (reply: string | null): boolean => reply === null || reply.startsWith('2');

const UNKNOWN_ENDS = `SELECT count(*) FROM events WHERE message_seq = ? AND recipient_id = ?
  AND data_json ->> '$.attempt' IS NOT NULL AND data_json ->> '$.diagnostic' LIKE '%(waiting for dot)'`;
const RELEASED = "SELECT 1 FROM audit WHERE action = 'held_mail.release' LIMIT 1";

/** The relay answered, and the connection broke before the answer had arrived. */
const brokenOff = ({ tenant, facts }: Mail): number =>
  facts === null
    ? 0
    : (inFile(tenant, (db) => value<number>(db, UNKNOWN_ENDS, facts.message_seq, facts.id)) ?? 0);

const wasReleased = ({ tenant, isPresent, copy }: Mail): boolean =>
  copy.releases > 0 ||
  (tenant.restoredAt > 0 && isPresent && inFile(tenant, (db) => value<number>(db, RELEASED)) !== undefined);

const checkMail = (mail: Mail): void => {
  const { copy, tenant, sent, recipientId } = mail;
  if (!isTaken(sent.reply)) return;
  const { formerEpoch: fromEpoch, epoch: toEpoch } = tenant;
  const before = [...copy.sent];
  copy.sent.push({ wasAnswered: sent.reply !== null, fromEpoch, toEpoch });
  if (before.length === 0 || wasReleased(mail)) return;
  const who = `${tenant.name}: recipient ${recipientId} (${sent.recipient}) of <${sent.messageId}>`;
  if (mail.index >= copy.settledFrom && before.every((one) => one.toEpoch < toEpoch))
    broken(
      `${who} got copy ${before.length + 1}, though the outcome of the one before was stored when the process began`,
    );
  const here = before.filter((one) => one.fromEpoch === toEpoch);
  const answered = here.filter(({ wasAnswered }) => wasAnswered).length;
  if (answered === 0) return;
  const lost = Math.max(0, brokenOff(mail) - (here.length - answered));
  if (answered > lost)
    broken(
      `${who} got copy ${before.length + 1}: the relay had answered 250 to ${answered} of the same process, and ${lost} of these answers were lost`,
    );
};

export const oneCopy: Truth = {
  name: 'a recipient gets one copy, and one more for each unknown outcome',
  check: (_scene, _book, { mails }) => {
    for (const mail of mails) checkMail(mail);
  },
};

export const mailHasRecipient: Truth = {
  name: 'a mail that leaves has its recipient in the file',
  check: (_scene, _book, { mails }) => {
    for (const { tenant, facts, isPresent, recipientId, sent } of mails) {
      // It was on its way when an older file took the place of the present one.
      if (!isPresent || tenant.restoredAt > 0) continue;
      if (facts === null)
        broken(
          `${tenant.name}: a mail left to ${sent.recipient} as recipient ${recipientId}, which the file does not have`,
        );
      else if (!facts.address.startsWith('#') && facts.internet_message_id !== `<${sent.messageId}>`)
        broken(
          `${tenant.name}: recipient ${recipientId} is one of ${facts.internet_message_id}, and <${sent.messageId}> left for them`,
        );
    }
  },
};
