// Statuses only rise, and a message has that of its highest recipient. Each change of a status has its event, so those of new events
// are looked at.
import { messageStatus, type Status, statuses } from '#src/messages/rules.ts';
import { inFile, type News } from './memory.ts';
import { rows } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** As in the order of signals: a suppression is below the other end. */
const rankOf = (status: Status): number => {
  if (status === 'suppressed') return statuses.indexOf('failed');
  if (status === 'failed') return statuses.indexOf('suppressed');
  return statuses.indexOf(status);
};

/** A delay that is reported after the relay's 2xx corrects it. */
const mayFollow = (before: Status, after: Status): boolean =>
  rankOf(after) >= rankOf(before) || (before === 'processed' && after === 'delivery_delayed');

/** A failure equals a hard bounce. */
const weightOf = (status: Status): number =>
  status === 'suppressed' ? -1 : statuses.indexOf(status === 'failed' ? 'hard_bounced' : status);

const checkNews = ({ tenant, events, recipients }: News): void => {
  for (const { id, status } of recipients) tenant.statuses.set(id, status);
  const messages = new Set<number>();
  for (const { message_seq } of events) if (message_seq > 0) messages.add(message_seq);
  if (messages.size === 0) return;
  inFile(tenant, (db) => {
    for (const seq of messages) {
      const found = rows<{ id: number; address: string; status: Status }>(
        db,
        'SELECT id, address, status FROM recipients WHERE message_seq = ?',
        seq,
      );
      for (const { id, address, status } of found) {
        const before = tenant.statuses.get(id) ?? 'pending';
        if (!mayFollow(before, status))
          broken(
            `${tenant.name}: recipient ${id} (${address}) of message ${seq} was ${before}, and is ${status}`,
          );
        tenant.statuses.set(id, status);
      }
      const [message] = rows<{ id: string; status: Status }>(
        db,
        'SELECT id, status FROM messages WHERE seq = ?',
        seq,
      );
      if (message === undefined || found.length === 0) continue;
      const expected = messageStatus(found.map(({ status }) => status));
      if (weightOf(message.status) !== weightOf(expected))
        broken(
          `${tenant.name}: message ${message.id} is ${message.status}, and its recipients are ${found.map(({ status }) => status).join(', ')}`,
        );
    }
  });
};

export const statusesRise: Truth = {
  name: 'statuses only rise',
  check: (_scene, _book, { news }) => {
    for (const one of news) if (!one.isNew) checkNews(one);
  },
};
