// How a practice is, as lamps, and how much attention it needs.
import type { PracticeSummary } from '#api';
import type { Tone } from '#dashboard/parts/basics.tsx';
import { planNames } from '#dashboard/plans.ts';
import { percent, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export interface LampOf {
  readonly tone: Tone;
  readonly text: string;
}
export interface Lamps {
  readonly dns: LampOf | null;
  readonly rates: LampOf | null;
  readonly plan: LampOf | null;
}

const dnsTones = { ok: 'good', pending: 'warn', problem: 'bad' } as const;
const rateTones = { ok: 'good', watch: 'warn', paused: 'bad' } as const;
/** Owners get a mail at it. */
const NEARLY_ALL = 0.9;
const planTone = (share: number): Tone => (share >= 1 ? 'bad' : share >= NEARLY_ALL ? 'warn' : 'good');

/** With fewer mails the guardrail of the service does not pause. */
const LEAST_MAILS = 20;

type OfRoute = NonNullable<Extract<PracticeSummary, { rates: unknown }>['rates']>;

const isCounted = ({ messages, state }: OfRoute): boolean => messages >= LEAST_MAILS || state === 'paused';

const rateTone = (rates: OfRoute): Tone => {
  if (!isCounted(rates)) return 'plain';
  const { bounce_rate, bounce_limit, complaint_rate, complaint_limit, state } = rates;
  const isOver = (bounce_rate ?? 0) >= bounce_limit || (complaint_rate ?? 0) >= complaint_limit;
  return isOver ? 'bad' : rateTones[state];
};

const rateText = (rates: OfRoute): string => {
  const w = translated(words);
  if (rates.messages === 0) return w.noMail;
  if (!isCounted(rates)) return w.tooFew;
  return w.rate(percent(rates.bounce_rate ?? 0), percent(rates.complaint_rate ?? 0));
};

/** Null: it cannot be read. */
export const lampsOf = (row: PracticeSummary): Lamps | null => {
  if ('unavailable' in row) return null;
  const w = translated(words);
  const { dns, rates, plan } = row;
  return {
    dns: dns && { tone: dnsTones[dns.state], text: w.dnsStates[dns.state] },
    rates: rates && {
      tone: rateTone(rates),
      text: rateText(rates),
    },
    plan: plan && {
      tone: plan.share === null ? 'plain' : planTone(plan.share),
      text: plan.share === null ? planNames[plan.plan] : w.planUse(planNames[plan.plan], percent(plan.share)),
    },
  };
};

const weights: Readonly<Partial<Record<Tone, number>>> = { bad: 10, warn: 1 };

/** More comes first. */
export const attention = (row: PracticeSummary): number => {
  const lamps = lampsOf(row);
  if (lamps === null || 'unavailable' in row) return 100;
  const shown = [lamps.dns, lamps.rates, lamps.plan].map((lamp) => weights[lamp?.tone ?? 'plain'] ?? 0);
  return shown.reduce((sum, one) => sum + one, row.status === 'paused' ? 20 : 0);
};
