// One condition by which people of lists are chosen.
import type { CampaignCondition } from '#api';
import { Button } from '#dashboard/parts/basics.tsx';
import { Select, TextField } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export type Filter = readonly CampaignCondition[];
type Op = CampaignCondition['op'];

export interface Choice {
  readonly listIds: readonly string[];
  readonly filter: Filter;
  /** The saved one that was taken, as long as nothing of it was changed. */
  readonly segmentId?: string | undefined;
}

const USUAL_DAYS = 90;
const MAX_DAYS = 365;

const isReading = (op: Op): boolean => op === 'opened' || op === 'clicked' || op === 'neither';
const hasField = (op: Op): boolean => !isReading(op) && !op.startsWith('subscribed_');
const hasValue = (op: Op): boolean => !isReading(op) && op !== 'exists' && op !== 'missing';
const isDay = (op: Op): boolean => op === 'before' || op === 'after' || op.startsWith('subscribed_');

const isWhole = (condition: CampaignCondition): boolean =>
  (!('field' in condition) || condition.field.trim() !== '') &&
  (!('value' in condition) || condition.value.trim() !== '') &&
  (!('days' in condition) || (condition.days >= 1 && condition.days <= MAX_DAYS));

/** What the API takes of it: conditions that are only begun say nothing yet. */
export const wholeOf = (filter: Filter): CampaignCondition[] => filter.filter(isWhole);

/** Whether it asks what people have read. */
export const asksReading = (filter: Filter): boolean => filter.some(({ op }) => isReading(op));

const withOp = (condition: CampaignCondition, op: Op): CampaignCondition => {
  const field = 'field' in condition ? condition.field : '';
  const former = 'value' in condition && isDay(condition.op) === isDay(op) ? condition.value : '';
  return {
    op,
    ...(hasField(op) ? { field } : {}),
    ...(hasValue(op) ? { value: former } : {}),
    ...(isReading(op) ? { days: 'days' in condition ? condition.days : USUAL_DAYS } : {}),
  } as CampaignCondition;
};

export const Condition = ({
  condition,
  onCondition,
  onRemove,
}: {
  readonly condition: CampaignCondition;
  readonly onCondition: (condition: CampaignCondition) => void;
  readonly onRemove: () => void;
}) => {
  const w = translated(words);
  const { op } = condition;
  return (
    <div class="condition">
      {hasField(op) && (
        <TextField
          label={w.field}
          value={'field' in condition ? condition.field : ''}
          onValue={(field) => onCondition({ ...condition, field } as CampaignCondition)}
        />
      )}
      <Select
        aria-label={w.op}
        value={op}
        options={w.ops}
        onValue={(chosen) => onCondition(withOp(condition, chosen as Op))}
      />
      {hasValue(op) && (
        <TextField
          label={w.value}
          type={isDay(op) ? 'date' : undefined}
          value={'value' in condition ? condition.value : ''}
          onValue={(value) => onCondition({ ...condition, value } as CampaignCondition)}
        />
      )}
      {'days' in condition && (
        <TextField
          label={w.days}
          type="number"
          min={1}
          max={MAX_DAYS}
          value={condition.days === 0 ? '' : String(condition.days)}
          onValue={(days) => onCondition({ ...condition, days: Math.trunc(Number(days)) })}
        />
      )}
      <Button text={w.remove} kind="small" onClick={onRemove} />
    </div>
  );
};
