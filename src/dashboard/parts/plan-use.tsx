// How much of the month's plan is used, with the shares at which the owners get a mail.
import { day, percent } from '#dashboard/words.ts';
import { Meter, type Tone } from './basics.tsx';
import { partWords } from './words.ts';

/** Shares of 1; the service sends a mail at each. */
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
  const w = partWords().planUse;
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
