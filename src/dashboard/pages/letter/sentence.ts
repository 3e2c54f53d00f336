// Says in one sentence to whom a letter goes, when, and with what. Pure.
import type { words } from './words/de.ts';

export interface Said {
  readonly to: readonly string[];
  readonly copies: readonly string[];
  readonly attachments: number;
  readonly isInvitation: boolean;
  /** ms; null: at once. */
  readonly at: number | null;
}

export interface Speaking {
  readonly words: typeof words.sentence;
  readonly locale: string;
  /** ms */
  readonly now: number;
}

const MAX_NAMES = 3;
const DAY_MS = 86_400_000;

const namesOf = (names: readonly string[], { words: w, locale }: Speaking): string => {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names;
  const others = names.length - shown.length;
  return new Intl.ListFormat(locale).format(others > 0 ? [...shown, w.others(others)] : shown);
};

const whenOf = (at: number | null, { words: w, locale, now }: Speaking): string => {
  if (at === null) return w.now;
  const day = (time: number): string => new Date(time).toDateString();
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(at);
  const near = [0, 1].find((days) => day(at) === day(now + days * DAY_MS));
  if (near !== undefined) return w.near(near === 0, clock);
  const date = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }).format(at);
  return w.onDay(date, clock);
};

/** `isDone`: it was sent, else it will be. */
export const sentenceOf = (
  { to, copies, attachments, isInvitation, at }: Said,
  speaking: Speaking,
  isDone = false,
): string => {
  const w = speaking.words;
  const parts = [
    isDone && at === null ? '' : whenOf(at, speaking),
    copies.length === 0 ? '' : w.copies(namesOf(copies, speaking)),
    attachments === 0 ? '' : w.attachments(attachments),
    isInvitation ? w.invitation : '',
  ].filter((part) => part !== '');
  const whole = [w.goes(namesOf(to, speaking), isDone && at === null), ...parts].join(', ');
  return `${whole}.`;
};
