// Choices of people that are saved under a name: taken, kept, renamed and deleted.
import { useState } from 'preact/hooks';
import type { CreateSegmentBody, Segment } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { toast } from '#dashboard/parts/feedback.tsx';
import { Form, named, SelectField, TextField } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { translated } from '#dashboard/words.ts';
import { type Choice, wholeOf } from './conditions.tsx';
import { words } from './words/de.ts';

interface NameProps {
  readonly first: string;
  readonly onName: (name: string) => Promise<void>;
}

const Name = ({ first, onName }: NameProps) => {
  const w = translated(words);
  const [name, setName] = useState(first);
  const save = useAction(() => onName(name.trim()));
  return (
    // The builder is in the form of its page, which would be submitted too.
    <div onSubmit={(event) => event.stopPropagation()}>
      <Form action={save} submit={w.save}>
        <TextField label={w.name} required maxLength={100} path="name" value={name} onValue={setName} />
      </Form>
    </div>
  );
};

interface SavedProps {
  readonly id: string;
  readonly choice: Choice;
  readonly segments: readonly Segment[];
  readonly onChoice: (choice: Choice) => void;
  /** They are loaded again. */
  readonly onChanged: () => void;
}

/** The segment that was taken, as long as nothing of it was changed, can be renamed and deleted. */
export const SavedSegments = ({ id, choice, segments, onChoice, onChanged }: SavedProps) => {
  const w = translated(words);
  const taken = segments.find((one) => one.id === choice.segmentId);
  const take = (segment: Segment | undefined): void =>
    onChoice(
      segment
        ? { listIds: segment.list_ids, filter: segment.filter, segmentId: segment.id }
        : { ...choice, segmentId: undefined },
    );
  return (
    <>
      <SelectField
        label={w.take}
        value={taken?.id ?? ''}
        options={{ '': w.none, ...named(segments) }}
        onValue={(chosen) => take(segments.find((one) => one.id === chosen))}
      />
      {taken && (
        <div class="actions">
          <FormDialog button={w.rename} kind="small">
            {(close) => (
              <Name
                first={taken.name}
                onName={async (name) => {
                  const over = { record: taken, names: { name: w.name }, take: onChanged };
                  await call(
                    'PATCH /api/practices/{id}/segments/{segmentID}',
                    { id, segmentID: taken.id, body: { name } },
                    { over },
                  );
                  toast(w.saved);
                  close();
                  onChanged();
                }}
              />
            )}
          </FormDialog>
          <Confirm
            button={w.deleteIt}
            title={w.deleteTitle(taken.name)}
            text={w.deleteText}
            confirm={w.deleteIt}
            kind="danger"
            small
            onConfirm={async () => {
              await call('DELETE /api/practices/{id}/segments/{segmentID}', { id, segmentID: taken.id });
              toast(w.deleted);
              onChoice({ ...choice, segmentId: undefined });
              onChanged();
            }}
          />
        </div>
      )}
    </>
  );
};

export const SaveSegment = ({
  id,
  choice,
  onSaved,
}: {
  readonly id: string;
  readonly choice: Choice;
  readonly onSaved: (segment: Segment) => void;
}) => {
  const w = translated(words);
  return (
    <FormDialog button={w.saveAs}>
      {(close) => (
        <Name
          first=""
          onName={async (name) => {
            const body = { name, list_ids: [...choice.listIds], filter: wholeOf(choice.filter) };
            const made = await call('POST /api/practices/{id}/segments', {
              id,
              body: body as CreateSegmentBody,
            });
            toast(w.saved);
            close();
            onSaved(made);
          }}
        />
      )}
    </FormDialog>
  );
};
