// The conditions by which people of lists are chosen, with how many fit while one builds them; saved choices are taken and kept.
import { useEffect, useState } from 'preact/hooks';
import type { CampaignCondition, CreateSegmentBody, Segment, SegmentCount } from '#api';
import { call } from '#dashboard/api/call.ts';
import { allPages, useAction, useData } from '#dashboard/data.ts';
import { Button } from '#dashboard/parts/basics.tsx';
import { ErrorNote, toast } from '#dashboard/parts/feedback.tsx';
import { Form, named, Select, SelectField, TextField } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type Filter = readonly CampaignCondition[];
type Op = CampaignCondition['op'];

export interface Choice {
  readonly listIds: readonly string[];
  readonly filter: Filter;
}

/** Counting again for each letter would be refused. */
const TYPING_MS = 800;
const MAX_CONDITIONS = 10;

const hasField = (op: Op): boolean => !op.startsWith('subscribed_');
const hasValue = (op: Op): boolean => op !== 'exists' && op !== 'missing';
const isDay = (op: Op): boolean => op === 'before' || op === 'after' || !hasField(op);

const isWhole = (condition: CampaignCondition): boolean =>
  (!('field' in condition) || condition.field.trim() !== '') &&
  (!('value' in condition) || condition.value.trim() !== '');

/** What the API takes of it: conditions that are only begun say nothing yet. */
export const wholeOf = (filter: Filter): CampaignCondition[] => filter.filter(isWhole);

const withOp = (condition: CampaignCondition, op: Op): CampaignCondition => {
  const field = 'field' in condition ? condition.field : '';
  const former = 'value' in condition && isDay(condition.op) === isDay(op) ? condition.value : '';
  return {
    op,
    ...(hasField(op) ? { field } : {}),
    ...(hasValue(op) ? { value: former } : {}),
  } as CampaignCondition;
};

const Row = ({
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
      <Button text={w.remove} kind="small" onClick={onRemove} />
    </div>
  );
};

const Count = ({ id, listIds, filter }: Choice & { readonly id: string }) => {
  const w = translated(words);
  const wanted = JSON.stringify({ list_ids: listIds, filter: wholeOf(filter) });
  const [found, setFound] = useState<{ readonly of: string; readonly count: SegmentCount }>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (listIds.length === 0) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      call(
        'POST /api/practices/{id}/segments/count',
        { id, body: JSON.parse(wanted) },
        { abort: controller.signal },
      ).then(
        (count) => {
          setFound({ of: wanted, count });
          setError(undefined);
        },
        (refused) => !controller.signal.aborted && setError(refused),
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [id, wanted]);
  return (
    <>
      <p role="status" class={found?.of === wanted ? undefined : 'quiet'}>
        {listIds.length === 0 ? w.noList : found && w.count(found.count.active, number(found.count.people))}
      </p>
      <ErrorNote error={error} />
    </>
  );
};

const Save = ({
  id,
  choice,
  onSaved,
}: {
  readonly id: string;
  readonly choice: Choice;
  readonly onSaved: () => void;
}) => {
  const w = translated(words);
  const [name, setName] = useState('');
  const save = useAction(async () => {
    const body = { name: name.trim(), list_ids: [...choice.listIds], filter: wholeOf(choice.filter) };
    await call('POST /api/practices/{id}/segments', { id, body: body as CreateSegmentBody });
    toast(w.saved);
    onSaved();
  });
  return (
    // The builder is in the form of its page, which would be submitted too.
    <div onSubmit={(event) => event.stopPropagation()}>
      <Form action={save} submit={w.save}>
        <TextField label={w.name} required maxLength={100} path="name" value={name} onValue={setName} />
      </Form>
    </div>
  );
};

/** Whom it is for: the lists are chosen beside it. */
export const SegmentBuilder = ({
  id,
  choice,
  onChoice,
}: {
  readonly id: string;
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
}) => {
  const w = translated(words);
  const { filter } = choice;
  const saved = useData(
    (abort) => allPages((page) => call('GET /api/practices/{id}/segments', { id, ...page }, { abort })),
    [id],
  );
  const setFilter = (changed: Filter): void => onChoice({ ...choice, filter: changed });
  const take = (segment: Segment | undefined): void =>
    segment && onChoice({ listIds: segment.list_ids, filter: segment.filter });
  return (
    <fieldset class="field segment">
      <legend>{w.title}</legend>
      <p class="hint">{w.hint}</p>
      {saved.value && saved.value.length > 0 && (
        <SelectField
          label={w.take}
          value=""
          options={{ '': w.none, ...named(saved.value) }}
          onValue={(chosen) => take(saved.value?.find((one) => one.id === chosen))}
        />
      )}
      {filter.map((condition, at) => (
        <Row
          key={at}
          condition={condition}
          onCondition={(changed) => setFilter(filter.with(at, changed))}
          onRemove={() => setFilter(filter.toSpliced(at, 1))}
        />
      ))}
      <Count id={id} {...choice} />
      <div class="actions">
        <Button
          text={w.add}
          disabled={filter.length >= MAX_CONDITIONS}
          onClick={() => setFilter([...filter, { field: '', op: 'is', value: '' }])}
        />
        {wholeOf(filter).length > 0 && choice.listIds.length > 0 && (
          <FormDialog button={w.saveAs}>
            {(close) => (
              <Save
                id={id}
                choice={choice}
                onSaved={() => {
                  close();
                  saved.reload();
                }}
              />
            )}
          </FormDialog>
        )}
      </div>
    </fieldset>
  );
};
