// What became of a mail, in one honest sentence that an office can say on the telephone, and what to add to it. It says no more than
// is known: a server that took a mail has not shown it to a person, and where only our own relay took it, no one knows. Pure.
import type { Replies, Reply } from '#dashboard/parts/replies/replies.ts';
import type { words } from './words/de.ts';

export type SentenceTone = 'good' | 'warn' | 'bad' | 'plain';

export interface SentRecipient extends Reply {
  readonly address: string;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly updated_at: string;
}

/** One of the events of the message. */
export interface SentEvent {
  readonly type: string;
  readonly recipient: string | null;
  readonly at: string;
  readonly rule: string | null;
  readonly bot: boolean;
}

/** An entry of the timeline. */
export interface SentEntry {
  readonly status: string | null;
  readonly recipient: string | null;
  readonly detail: string | null;
}

export interface Facts {
  readonly scheduled_at: string | null;
  readonly recipients: readonly SentRecipient[];
  readonly events: readonly SentEvent[];
  readonly timeline: readonly SentEntry[];
}

export interface Speaking {
  readonly words: typeof words;
  readonly replies: Replies;
  /** Why addresses are suppressed, by the reason. */
  readonly suppressions: Readonly<Record<string, string>>;
  /** Dates are shown in it. */
  readonly locale: string;
  /** ms */
  readonly now: number;
  /** The time zone of the browser where absent. */
  readonly timeZone?: string;
}

export interface Sentence {
  readonly tone: SentenceTone;
  readonly text: string;
  /** What is to be known with it, and what to do now. */
  readonly more: readonly string[];
}

const DAY_MS = 86_400_000;

const momentIn = ({ words: { sentence }, locale, now, timeZone }: Speaking) => {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, {
      ...options,
      ...(timeZone ? { timeZone } : {}),
    });
    return (time: number): string => formatter.format(time);
  };
  const clock = format({ hour: '2-digit', minute: '2-digit' });
  const key = format({ year: 'numeric', month: '2-digit', day: '2-digit' });
  const thisYear = format({ day: 'numeric', month: sentence.month });
  const otherYear = format({ day: 'numeric', month: sentence.month, year: 'numeric' });
  const year = format({ year: 'numeric' });
  return (iso: string): string => {
    const time = Date.parse(iso);
    const near = [0, -1, 1].find((days) => key(time) === key(now + days * DAY_MS));
    if (near !== undefined) return sentence.nearDay(near, clock(time));
    return sentence.onDay((year(time) === year(now) ? thisYear : otherYear)(time), clock(time));
  };
};

/** `gmx.de` */
const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** What became of the mail to one of its recipients. */
export const sentenceOf = (facts: Facts, recipient: SentRecipient, speaking: Speaking): Sentence => {
  const w = speaking.words.sentence;
  const moment = momentIn(speaking);
  const host = hostOf(recipient.address);
  const events = facts.events.filter(({ recipient: of }) => of === recipient.address || of === null);
  const last = (type: string, isByMachine = false): SentEvent | undefined =>
    events.findLast((event) => event.type === `message.${type}` && event.bot === isByMachine);
  const when = (type: string): string => moment(last(type)?.at ?? recipient.updated_at);
  const why = (type: string) => speaking.replies.whyOf(recipient, last(type)?.rule);
  const said = (tone: SentenceTone, text: string, ...more: readonly string[]): Sentence => ({
    tone,
    text,
    more,
  });

  const ours = speaking.replies.ownOf(recipient.diagnostic);
  const byMachine = last('opened', true) ?? last('clicked', true);
  const machine = byMachine ? [w.machineOpened(moment(byMachine.at))] : [];

  const handedOver = (): Sentence =>
    ours === 'captured'
      ? said('plain', w.captured(when('sent')), w.capturedMore)
      : said('plain', w.handedOver(when('sent')), w.handedOverMore, ...machine);
  const delivered = last('delivered');
  // Where the relay's own reply counts as delivery, both are recorded at once: then no more is known.
  const isPresumed = delivered !== undefined && delivered.at === last('sent')?.at;

  switch (recipient.status) {
    case 'pending':
      return said('plain', w.scheduled(moment(facts.scheduled_at ?? recipient.updated_at)));
    case 'queued':
      return said('plain', w.waiting, w.waitingMore);
    case 'delivery_delayed': {
      const next = recipient.next_attempt_at;
      const goesOn =
        next === null
          ? w.othersTryAgain
          : w.tryAgain(Date.parse(next) <= speaking.now ? w.now : moment(next));
      if (ours === 'outOfUse') return said('warn', w.relayOutOfUse, goesOn);
      const { why: reason } = why('delivery_delayed');
      return said('warn', w.delayed(host, when('delivery_delayed'), reason), goesOn);
    }
    case 'processed':
      return handedOver();
    case 'delivered':
      return isPresumed
        ? handedOver()
        : said('good', w.accepted(host, when('delivered')), w.acceptedMore, ...machine);
    case 'auto_replied':
      return said('good', w.autoReplied(host, when('auto_replied')), w.autoRepliedMore);
    case 'opened':
      return said('good', w.opened(when('opened')), w.openedMore);
    case 'clicked':
      return said('good', w.clicked(when('clicked')));
    case 'unsubscribed':
      return said('warn', w.unsubscribed(last('unsubscribed') ? when('unsubscribed') : when('subscription')));
    case 'hard_bounced':
    case 'soft_bounced': {
      const { why: reason, advice } = why(recipient.status);
      const isHard = recipient.status === 'hard_bounced';
      return said(
        'bad',
        w.refused(host, when(recipient.status), reason),
        advice,
        ...(isHard ? [w.suppressedNow] : []),
      );
    }
    case 'spam_complaint':
      return said('bad', w.complained(when('spam_complaint')), w.complainedMore);
    case 'suppressed': {
      const reason = facts.timeline.findLast(
        ({ status, recipient: of }) => status === 'suppressed' && of === recipient.address,
      )?.detail;
      return said(
        'warn',
        w.suppressed(speaking.suppressions[reason ?? ''] ?? w.suppressionUnknown),
        w.suppressedMore,
      );
    }
    case 'failed':
      if (ours === 'cancelled') return said('plain', w.cancelled(when('failed')));
      if (last('content_blocked')) return said('bad', w.contentBlocked, w.contentBlockedMore);
      if (recipient.attempts === 0)
        return said('bad', w.notSent(when('failed')), ...(ours ? [speaking.replies.own[ours]] : []));
      return said(
        'bad',
        w.givenUp(recipient.attempts, when('failed'), why('failed').why),
        why('failed').advice,
      );
    default:
      return said('plain', w.unknown);
  }
};

const worst: readonly SentenceTone[] = ['bad', 'warn', 'plain', 'good'];

/** What became of the whole mail. `nameOf`: a status in words. */
export const sentenceFor = (
  facts: Facts,
  speaking: Speaking,
  nameOf: (status: string) => string,
): Sentence => {
  const w = speaking.words.sentence;
  const [first, ...others] = facts.recipients;
  if (!first) return { tone: 'plain', text: w.noRecipients, more: [] };
  const all = facts.recipients.map((one) => sentenceOf(facts, one, speaking));
  if (others.length === 0) return all[0] as Sentence;
  const counts = new Map<string, number>();
  for (const { status } of facts.recipients) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(([status, count]) => `${count} × ${nameOf(status)}`);
  const tone = worst.find((one) => all.some((sentence) => sentence.tone === one)) ?? 'plain';
  return { tone, text: w.several(facts.recipients.length, parts.join(', ')), more: [w.severalMore] };
};
