// How much of the month's plan is used, with the shares at which the owners get a mail.
import { day, percent, words } from '#dashboard/words.ts';
import { Meter, type Tone } from './basics.tsx';

const planUseWords = words({
  de: {
    used: 'In diesem Monat versendet:',
    resets: (when: string) => `Am ${when} beginnt die Zählung neu.`,
    reached: (share: string) => `${share} des Tarifs sind verbraucht.`,
    full: 'Der Tarif ist aufgebraucht: Bis die Zählung neu beginnt, wird keine neue Nachricht angenommen.',
  },
  en: {
    used: 'Sent this month:',
    resets: (when: string) => `Counting starts again on ${when}.`,
    reached: (share: string) => `${share} of the plan is used.`,
    full: 'The plan is used up: no new message is accepted until counting starts again.',
  },
});

/** Of 1; the service sends a mail at each. */
const THRESHOLDS = [1, 0.9, 0.7] as const;

export const PlanUse = ({
  used,
  cap,
  resetsAt,
}: {
  readonly used: number;
  readonly cap: number;
  readonly resetsAt: string;
}) => {
  const w = planUseWords();
  const reached = THRESHOLDS.find((share) => used >= cap * share);
  const tone: Tone = reached === 1 ? 'bad' : reached ? 'warn' : 'plain';
  return (
    <>
      <Meter label={w.used} value={used} max={cap} marks={[0.7, 0.9]} tone={tone} />
      {reached && (
        <p>
          <strong>{reached === 1 ? w.full : w.reached(percent(reached))}</strong>
        </p>
      )}
      <p class="hint">{w.resets(day(resetsAt))}</p>
    </>
  );
};
