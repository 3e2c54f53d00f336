// What an alert's message says before it takes the form of a chat tool. Pure.
import { spanInWords } from '#src/accounts/mails/moment.ts';
import type { AlertEvent } from '#src/events/catalogue.ts';
import { wordsIn } from '#src/followers/words.ts';
import { countedIn, type MemberLanguage } from '#src/kernel/language.ts';
import { alertEvents, defaultEvents, type Sample } from './rules.ts';
import type { Counts } from './store.ts';

/** Plain text: the forms escape it. */
export interface AlertMessage {
  readonly title: string;
  readonly lines: readonly { readonly text: string; readonly samples: readonly string[] }[];
  /** When it happened. */
  readonly when: string | null;
  readonly link: { readonly text: string; readonly url: string };
}

/** Where the message appears, and the service that it is from. */
export interface Setting {
  readonly practice: string;
  readonly language: MemberLanguage;
  readonly service: string;
  /** The address of the practice in the dashboard. */
  readonly link: string;
}

const sampleInWords = ({ who, why }: Sample): string => {
  const reasons = why.join(', ');
  if (who === null) return reasons;
  return reasons === '' ? who : `${who} (${reasons})`;
};

/** What calls for action comes first. */
const inOrder = (events: readonly AlertEvent[]): readonly AlertEvent[] => {
  const ranked = [...defaultEvents, ...alertEvents];
  return events.toSorted((a, b) => ranked.indexOf(a) - ranked.indexOf(b));
};

const linkOf = ({ language, service, link }: Setting): AlertMessage['link'] => ({
  text: wordsIn(language).link(service),
  url: link,
});

export const alertMessage = (counts: Counts, setting: Setting): AlertMessage => {
  const { practice, language } = setting;
  const all = [...counts.values()];
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const lines = inOrder([...counts.keys()]).flatMap((event) => {
    const sum = counts.get(event);
    if (sum === undefined) return [];
    const text = countedIn(sum.count, wordsIn(language).counted[event], language);
    return { text, samples: sum.samples.map(sampleInWords) };
  });
  const [line, ...others] = lines;
  const headline =
    line && others.length === 0 ? line.text : countedIn(total, wordsIn(language).events, language);
  const from = Math.min(...all.map(({ firstAt }) => firstAt));
  const to = Math.max(...all.map(({ lastAt }) => lastAt));
  return {
    title: `${practice}: ${headline}`,
    lines,
    when: all.length === 0 ? null : spanInWords(from, to, language),
    link: linkOf(setting),
  };
};

/** The test message of the alert of that name. */
export const testMessage = (
  { name, events }: { readonly name: string; readonly events: readonly AlertEvent[] },
  setting: Setting,
): AlertMessage => {
  const { practice, language } = setting;
  const { test, reports, counted } = wordsIn(language);
  const what = inOrder(events).map((event) => counted[event].other);
  return {
    title: practice,
    lines: [
      { text: test(name), samples: [] },
      { text: reports(what.join(', ')), samples: [] },
    ],
    when: null,
    link: linkOf(setting),
  };
};
