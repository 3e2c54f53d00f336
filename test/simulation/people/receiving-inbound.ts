// People who write to a practice, and the practice that reads and answers them.
import { type Act, Cut, type Dice, type Practice, type Scene } from '../scene.ts';
import { homeOf } from '../truths/homes.ts';
import { row, rows, value } from '../truths/sql.ts';
import { inFile, type Letter, someLetter } from './receiving-letters.ts';
import { isNewMessage, using } from './receiving-memory.ts';
import { type Asking, beginAsking, isBeingErased, promise } from './receiving-promises.ts';
import { type Brought, bring, bringAll, isTaken, lines } from './receiving-smtp.ts';

const BOXES = ['post', 'termine', 'info+neu'];

const WAS_DELETED = `SELECT 1 FROM audit WHERE action = 'inbound_message.delete' AND at >= ? LIMIT 1`;
const MAIL =
  'SELECT seq, id, state, reply_to_seq FROM inbound_messages WHERE internet_message_id = ? ORDER BY seq DESC';
const ITS_EVENTS = "SELECT count(*) FROM events WHERE type = 'inbound.received' AND inbound_seq = ?";

interface Mail {
  readonly seq: number;
  readonly id: string;
  readonly state: 'inbox' | 'held' | 'quarantined';
  readonly reply_to_seq: number | null;
}

/** The name is new, so that each mail has one of its own, though the same act writes several. */
const nameOf = (scene: Scene, count: number): string => `<brief-${scene.step()}-${count}@people.example>`;

/** After 250 it is in the mailbox, until someone deletes it or is erased; in the inbox, one event says that it came. */
const believe = (scene: Scene, asking: Asking, name: string): void =>
  promise(scene, asking, `the mail ${name} is in the mailbox`, (db) => {
    const mail = row<Mail>(db, MAIL, name);
    if (mail === undefined) {
      if (value(db, WAS_DELETED, asking.at) !== undefined || isBeingErased(db, asking.at)) return;
      throw new Error('it is not');
    }
    const events = value<number>(db, ITS_EVENTS, mail.seq);
    if (mail.state === 'inbox' && events !== 1) throw new Error(`${events} events say that it came`);
  });

const letterFrom = (from: string, to: string, name: string, ...more: readonly string[]): Brought => ({
  from,
  to,
  content: lines(
    `From: Erika Muster <${from}>`,
    `To: <${to}>`,
    'Subject: Eine Frage',
    `Message-ID: ${name}`,
    ...more,
    '',
    'Guten Tag, ich habe eine Frage.',
  ),
});

const write: Act = {
  name: 'people write to the mailbox of a practice',
  weight: 4,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const from = `schreibt${dice.int(1, 20)}@people.example`;
    const asking = beginAsking(scene, practice);
    const names = Array.from({ length: dice.chance(0.2) ? 2 : 1 }, (_, count) => nameOf(scene, count));
    const mails = names.map((name) => letterFrom(from, `${dice.pick(BOXES)}@in.${practice.domain}`, name));
    const replies = await using(scene, practice, from, () => bringAll(scene, dice, ...mails));
    for (const [index, name] of names.entries()) if (isTaken(replies[index])) believe(scene, asking, name);
  },
};

const MESSAGE = `SELECT messages.seq FROM messages JOIN recipients ON message_seq = messages.seq
  WHERE recipients.id = ? AND internet_message_id = ?`;

/** A mail that answers belongs to the message whose name it quotes, or to whose return path it came. */
const requireThread = (scene: Scene, { practice, recipientId, mail }: Letter, name: string): void => {
  inFile(scene, practice, (db) => {
    const seq = value<number>(db, MESSAGE, recipientId, `<${mail.messageId}>`);
    const answered = row<Mail>(db, MAIL, name)?.reply_to_seq;
    if (seq !== undefined && answered !== undefined && answered !== seq)
      throw new Error(`an answer to message ${seq} of ${practice.slug} is taken for one to ${answered}`);
  });
};

const answerMail: Act = {
  name: 'someone answers a mail',
  weight: 3,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice, ({ mail }) => mail.messageId !== '');
    if (letter === null) return;
    const { practice, address, mail } = letter;
    const asking = beginAsking(scene, practice);
    const name = nameOf(scene, 0);
    const to = dice.chance(0.7) ? `post@in.${practice.domain}` : mail.returnPath;
    const quotes = [`In-Reply-To: <${mail.messageId}>`, `References: <${mail.messageId}>`];
    const brought = letterFrom(address, to, name, ...quotes);
    const reply = await using(scene, practice, address, () => bring(scene, dice, brought));
    if (!isTaken(reply)) return;
    believe(scene, asking, name);
    requireThread(scene, letter, name);
  },
};

const NEWEST = `SELECT id, mail_from, internet_message_id AS name FROM inbound_messages
  WHERE state = 'inbox' AND mail_from <> '' ORDER BY seq DESC LIMIT 5`;

interface Received {
  readonly id: string;
  readonly mail_from: string;
  readonly name: string | null;
}

const newest = (scene: Scene, dice: Dice, practice: Practice): Received | null => {
  const { service } = scene;
  if (homeOf(scene, practice.id) !== service) return null;
  const all = service.look(practice.id, (db) => rows<Received>(db, NEWEST));
  return all.length === 0 ? null : dice.pick(all);
};

const answerPerson: Act = {
  name: 'a practice answers a mail that it received',
  weight: 2,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const mail = newest(scene, dice, practice);
    if (mail === null) return;
    const { service, book } = scene;
    const recipients = [mail.mail_from.toLowerCase()];
    const headers = mail.name === null ? {} : { 'In-Reply-To': mail.name, References: mail.name };
    try {
      const reply = await service.ask('POST', `/api/practices/${practice.id}/send`, {
        token: practice.token,
        body: { to: mail.mail_from, subject: 'Re: Eine Frage', text: 'Guten Tag, gern.', headers },
      });
      if (reply.status === 202 && isNewMessage(scene, reply.body.id))
        book.accepted({ practice, door: 'answer', id: reply.body.id, recipients });
      if (reply.status === 503) book.unknown({ practice, door: 'answer', recipients });
      if (reply.status === 400) throw new Error(`an answer to a mail was refused: ${reply.text}`);
    } catch (error) {
      if (error instanceof Cut) book.unknown({ practice, door: 'answer', recipients });
      throw error;
    }
  },
};

const readMail: Act = {
  name: 'a practice reads a mail that it received',
  weight: 1,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const mail = newest(scene, dice, practice);
    if (mail === null) return;
    const path = `/api/practices/${practice.id}/inbound/messages/${mail.id}`;
    const { token } = practice;
    const asked = dice.chance(0.5)
      ? { method: 'GET', body: {} }
      : { method: 'PATCH', body: { body: { read: true } } };
    await scene.service.ask(asked.method, path, { token, ...asked.body });
  },
};

export const inboundActs: readonly Act[] = [write, answerMail, answerPerson, readMail];
