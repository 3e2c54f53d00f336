// Servers that report on mail that was handed over: bounces, delays, deliveries, complaints, automatic replies; once, twice, by several
// at once, and with a return path that no one was given.
import { absence, bounceOf, deliveryStatus, feedbackReport } from '#test/support/reports.ts';
import type { Act, Dice, Scene } from '../scene.ts';
import { homeOf } from '../truths/homes.ts';
import { value } from '../truths/sql.ts';
import {
  inFile,
  isQuestion,
  isTheirs,
  type Letter,
  someLetter,
  unsubscribeAddress,
} from './receiving-letters.ts';
import { close, isTooManyBounces, noteBounce } from './receiving-memory.ts';
import {
  type Asking,
  beginAsking,
  type OutcomeEvent,
  promiseEvent,
  promiseSuppression,
} from './receiving-promises.ts';
import { type Brought, bring, bringAll, FEEDBACK_SOURCE, isForLater, isTaken } from './receiving-smtp.ts';

interface Kind {
  readonly event: OutcomeEvent;
  readonly content: (letter: Letter) => string;
  /** The address gets no more mail of the practice. */
  readonly suppresses: boolean;
}

const kinds = {
  hard: { event: 'message.hard_bounced', content: ({ address }) => bounceOf(address), suppresses: true },
  soft: {
    event: 'message.soft_bounced',
    content: ({ address }) =>
      deliveryStatus(address, 'Action: failed', 'Status: 5.2.2', 'Diagnostic-Code: smtp; 552 5.2.2 full'),
    suppresses: false,
  },
  delayed: {
    event: 'message.delivery_delayed',
    content: ({ address }) => deliveryStatus(address, 'Action: delayed', 'Status: 4.4.1'),
    suppresses: false,
  },
  delivered: {
    event: 'message.delivered',
    content: ({ address }) => deliveryStatus(address, 'Action: delivered', 'Status: 2.0.0'),
    suppresses: false,
  },
  complaint: {
    event: 'message.spam_complaint',
    content: () => feedbackReport('abuse', [], ['Subject: Ihr Termin']),
    suppresses: true,
  },
  away: { event: 'message.auto_replied', content: () => absence(), suppresses: false },
} as const satisfies Record<string, Kind>;
type KindName = keyof typeof kinds;

/** What the answer 250 to a report promises. */
const believe = (scene: Scene, asking: Asking, letter: Letter, { event, suppresses }: Kind): void => {
  if (!isTheirs(scene, letter)) return;
  promiseEvent(scene, asking, letter, event);
  if (!suppresses) return;
  promiseSuppression(scene, asking, letter, 'team');
  close(scene, letter.practice, 'suppressed', letter.address);
};

const WAS_TRIED = `SELECT 1 FROM recipients LEFT JOIN queue ON queue.recipient_id = recipients.id
  WHERE recipients.id = ? AND (recipients.attempts > 0 OR coalesce(queue.attempts, 0) > 0)`;

/** Who has a mail has a return path that counts, for sixty days. A simulation is shorter. */
const requireOpen = (scene: Scene, { practice, recipientId, mail }: Letter, reply: string): void => {
  if (isTaken(reply) || isForLater(reply)) return;
  const isKnown = inFile(scene, practice, (db) => value(db, WAS_TRIED, recipientId));
  if (isKnown !== undefined)
    throw new Error(
      `a report to ${mail.returnPath} was answered "${reply}", though the mail was handed over`,
    );
};

const atReturnPath = (letter: Letter, kind: Kind): Brought => ({
  from: '',
  to: letter.mail.returnPath,
  content: kind.content(letter),
});

const deliver = async (scene: Scene, dice: Dice, letter: Letter, kind: Kind): Promise<void> => {
  const asking = beginAsking(scene, letter.practice);
  const times = dice.chance(0.25) ? 2 : 1;
  const replies = await bringAll(scene, dice, ...Array(times).fill(atReturnPath(letter, kind)));
  if (isTaken(replies[0])) believe(scene, asking, letter, kind);
  requireOpen(scene, letter, replies.at(-1) ?? '');
};

/** The kind that is wanted, and a mild one where too many of the practice's mails have bounced already. */
const kindFor = (scene: Scene, dice: Dice, letter: Letter, wanted: KindName): Kind => {
  if (wanted === 'hard' && isTooManyBounces(scene, letter.practice) && !dice.chance(0.1)) return kinds.soft;
  if (wanted === 'hard') noteBounce(scene, letter.practice);
  return kinds[wanted];
};

const report = (name: string, weight: number, wanted: KindName): Act => ({
  name,
  weight,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice);
    if (letter !== null) await deliver(scene, dice, letter, kindFor(scene, dice, letter, wanted));
  },
});

const reportTogether: Act = {
  name: 'several servers report on one mail at once',
  weight: 1,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice);
    if (letter === null) return;
    const first = dice.pick(['soft', 'delivered', 'away', 'complaint'] as const);
    const second = dice.pick(['delivered', 'delayed', first] as const);
    await Promise.all([first, second, first].map((name) => deliver(scene, dice, letter, kinds[name])));
  },
};

const clues: readonly ((letter: Letter) => readonly [fields: string[], head: string[]])[] = [
  ({ mail }) => [[`Original-Mail-From: <${mail.returnPath}>`], []],
  ({ mail }) => [[], [`Return-Path: <${mail.returnPath}>`]],
  ({ head }) => [[], [`List-Unsubscribe: ${head.get('list-unsubscribe')}`]],
  ({ head }) => [[`CFBL-Feedback-ID: ${head.get('cfbl-feedback-id')}`], []],
];

/** By the address for complaints. One of a source whose word counts pauses a practice, so that these are few. */
const complain: Act = {
  name: 'a provider forwards a complaint',
  weight: 1.5,
  run: async (scene, dice) => {
    const letter = someLetter(
      scene,
      dice,
      ({ head }) => head.has('cfbl-feedback-id') && head.has('list-unsubscribe'),
    );
    if (letter === null) return;
    const [fields, head] = dice.pick(clues)(letter);
    const isOptOut = dice.chance(0.2);
    const counts = dice.chance(0.05);
    const cfbl = /^[^;\s]+/.exec(letter.head.get('cfbl-address') ?? '')?.[0];
    const isElsewhere = homeOf(scene, letter.practice.id) !== scene.service;
    const asking = beginAsking(scene, letter.practice);
    const reply = await bring(scene, dice, {
      from: counts ? `feedback@${FEEDBACK_SOURCE}` : 'feedback@people.example',
      to: cfbl !== undefined && (isElsewhere || dice.chance(0.5)) ? cfbl : 'fbl@mail.example.com',
      content: feedbackReport(isOptOut ? 'opt-out' : 'abuse', fields, head),
    });
    if (!isTaken(reply)) return;
    if (!isOptOut) return believe(scene, asking, letter, kinds.complaint);
    if (!isTheirs(scene, letter)) return;
    promiseEvent(scene, asking, letter, 'message.unsubscribed', 'at least once');
    if (!isQuestion(letter)) promiseSuppression(scene, asking, letter, 'route');
  },
};

const forge: Act = {
  name: 'a stranger guesses a return path',
  weight: 0.5,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice);
    if (letter === null) return;
    const path = dice.chance(0.5)
      ? letter.mail.returnPath
      : (unsubscribeAddress(letter) ?? letter.mail.returnPath);
    const at = path.indexOf('@') - 1 - dice.int(0, 15);
    const to = `${path.slice(0, at)}${path[at] === 'a' ? 'b' : 'a'}${path.slice(at + 1)}`;
    const reply = await bring(scene, dice, { from: '', to, content: bounceOf(letter.address) });
    if (!reply.startsWith('550') && !isForLater(reply))
      throw new Error(`a report to ${to} was answered "${reply}"`);
  },
};

export const reportActs: readonly Act[] = [
  report('a server reports a bounce', 1.5, 'hard'),
  report('a server reports a full mailbox', 1.5, 'soft'),
  report('a server reports a delay', 1.5, 'delayed'),
  report('a server reports a delivery', 3, 'delivered'),
  report('a server reports a complaint', 0.7, 'complaint'),
  report('a program answers that someone is away', 1.5, 'away'),
  reportTogether,
  complain,
  forge,
];
