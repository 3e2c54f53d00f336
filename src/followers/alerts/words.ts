// What an alert's message says, in German and English, before it takes the form of a chat tool. Pure.

import { spanInWords } from '#src/accounts/mails/moment.ts';
import type { Language } from '#src/kernel/language.ts';
import { type AlertEvent, alertEvents, defaultEvents, type Sample } from './rules.ts';
import type { Counts } from './store.ts';

/** Plain text; whoever gives it a form escapes it. */
export interface AlertMessage {
  readonly title: string;
  readonly lines: readonly { readonly text: string; readonly samples: readonly string[] }[];
  /** When it happened. */
  readonly when: string | null;
  readonly link: { readonly text: string; readonly url: string };
}

/** Where it stands, and who says it. */
export interface Setting {
  readonly practice: string;
  readonly language: Language;
  readonly service: string;
  readonly origin: string;
}

interface Noun {
  readonly one: string;
  readonly many: string;
}

const noun = (one: string, many: string): Noun => ({ one, many });

const nouns: Readonly<Record<Language, Readonly<Record<AlertEvent, Noun>>>> = {
  de: {
    'message.created': noun('angenommene E-Mail', 'angenommene E-Mails'),
    'message.sent': noun('versendete E-Mail', 'versendete E-Mails'),
    'message.delivered': noun('zugestellte E-Mail', 'zugestellte E-Mails'),
    'message.hard_bounced': noun('Hard Bounce', 'Hard Bounces'),
    'message.soft_bounced': noun('Soft Bounce', 'Soft Bounces'),
    'message.auto_replied': noun('automatische Antwort', 'automatische Antworten'),
    'message.spam_complaint': noun('Beschwerde', 'Beschwerden'),
    'message.failed': noun('fehlgeschlagene E-Mail', 'fehlgeschlagene E-Mails'),
    'message.content_blocked': noun(
      'wegen ihres Inhalts abgewiesene E-Mail',
      'wegen ihres Inhalts abgewiesene E-Mails',
    ),
    'message.suppressed': noun(
      'nicht versendete E-Mail an eine gesperrte Adresse',
      'nicht versendete E-Mails an gesperrte Adressen',
    ),
    'message.unsubscribed': noun('Abmeldung', 'Abmeldungen'),
    'message.delivery_delayed': noun('verzögerte E-Mail', 'verzögerte E-Mails'),
    'message.subscription': noun('geändertes Abonnement', 'geänderte Abonnements'),
    'suppression.added': noun('neu gesperrte Adresse', 'neu gesperrte Adressen'),
    'suppression.removed': noun('entsperrte Adresse', 'entsperrte Adressen'),
  },
  en: {
    'message.created': noun('email accepted', 'emails accepted'),
    'message.sent': noun('email sent', 'emails sent'),
    'message.delivered': noun('email delivered', 'emails delivered'),
    'message.hard_bounced': noun('hard bounce', 'hard bounces'),
    'message.soft_bounced': noun('soft bounce', 'soft bounces'),
    'message.auto_replied': noun('automatic reply', 'automatic replies'),
    'message.spam_complaint': noun('spam complaint', 'spam complaints'),
    'message.failed': noun('failed email', 'failed emails'),
    'message.content_blocked': noun(
      'email refused because of its content',
      'emails refused because of their content',
    ),
    'message.suppressed': noun(
      'email to a suppressed address not sent',
      'emails to suppressed addresses not sent',
    ),
    'message.unsubscribed': noun('unsubscription', 'unsubscriptions'),
    'message.delivery_delayed': noun('delayed email', 'delayed emails'),
    'message.subscription': noun('changed subscription', 'changed subscriptions'),
    'suppression.added': noun('newly suppressed address', 'newly suppressed addresses'),
    'suppression.removed': noun('address no longer suppressed', 'addresses no longer suppressed'),
  },
};

const phrases = {
  de: {
    number: new Intl.NumberFormat('de-DE'),
    events: noun('Ereignis', 'Ereignisse'),
    link: (service: string) => `In ${service} ansehen`,
    test: (name: string) => `Dies ist ein Test: Die Chat-Benachrichtigung „${name}“ kommt hier an.`,
    tells: (what: string) => `Sie meldet: ${what}.`,
  },
  en: {
    number: new Intl.NumberFormat('en-GB'),
    events: noun('event', 'events'),
    link: (service: string) => `View in ${service}`,
    test: (name: string) => `This is a test: the chat alert “${name}” arrives here.`,
    tells: (what: string) => `It tells of: ${what}.`,
  },
} as const;

/** `1.000 Hard Bounces`, `1 spam complaint`. */
const counted = (count: number, { one, many }: Noun, language: Language): string =>
  `${phrases[language].number.format(count)} ${count === 1 ? one : many}`;

const sampleInWords = ({ who, why }: Sample): string => {
  const reasons = why.join(', ');
  if (who === null) return reasons;
  return reasons === '' ? who : `${who} (${reasons})`;
};

/** What calls for somebody stands first. */
const inOrder = (events: readonly AlertEvent[]): readonly AlertEvent[] => {
  const ranked = [...defaultEvents, ...alertEvents];
  return events.toSorted((a, b) => ranked.indexOf(a) - ranked.indexOf(b));
};

const linkOf = ({ language, service, origin }: Setting): AlertMessage['link'] => ({
  text: phrases[language].link(service),
  url: origin,
});

export const alertMessage = (counts: Counts, setting: Setting): AlertMessage => {
  const { practice, language } = setting;
  const all = [...counts.values()];
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const lines = inOrder([...counts.keys()]).flatMap((event) => {
    const sum = counts.get(event);
    if (sum === undefined) return [];
    const text = counted(sum.count, nouns[language][event], language);
    return { text, samples: sum.samples.map(sampleInWords) };
  });
  const [line, ...others] = lines;
  const headline =
    line && others.length === 0 ? line.text : counted(total, phrases[language].events, language);
  const from = Math.min(...all.map(({ firstAt }) => firstAt));
  const to = Math.max(...all.map(({ lastAt }) => lastAt));
  return {
    title: `${practice}: ${headline}`,
    lines,
    when: all.length === 0 ? null : spanInWords(from, to, language),
    link: linkOf(setting),
  };
};

/** Of the alert of that name. */
export const testMessage = (
  { name, events }: { readonly name: string; readonly events: readonly AlertEvent[] },
  setting: Setting,
): AlertMessage => {
  const { practice, language } = setting;
  const { test, tells } = phrases[language];
  const what = inOrder(events).map((event) => nouns[language][event].many);
  return {
    title: practice,
    lines: [
      { text: test(name), samples: [] },
      { text: tells(what.join(', ')), samples: [] },
    ],
    when: null,
    link: linkOf(setting),
  };
};
