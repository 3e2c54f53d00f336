// That a practice is paused, why, and how it goes on: by its owners, or by the operator alone where the operator paused it.
import type { Practice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { account, practice } from '#dashboard/session.ts';
import { Time } from './basics.tsx';
import { Confirm } from './dialog.tsx';
import { Note, toast } from './feedback.tsx';
import { partWords } from './words.ts';

/** Undefined: this person. */
const whoResumes = (id: string, by: string): 'operator' | 'owner' | undefined => {
  if (practice.value?.role === null) return undefined;
  if (by === 'operator') return 'operator';
  const own = account.value?.practices.find(({ practice_id }) => practice_id === id);
  return own?.role.slug === 'owner' ? undefined : 'owner';
};

export const PauseNote = ({
  id,
  pause,
  onResumed,
}: {
  readonly id: string;
  readonly pause: Practice['pause'];
  readonly onResumed: () => void;
}) => {
  if (pause === null) return null;
  const w = partWords().pause;
  const other = whoResumes(id, pause.by);
  return (
    <Note kind="bad">
      <p>
        <strong>{w.title}</strong>
      </p>
      <p>
        {w.by[pause.by]}, <Time at={pause.at} />: „{pause.reason}“
      </p>
      <p>{w.waits}</p>
      {other === undefined ? (
        <Confirm
          button={w.resume}
          text={w.resumeText}
          onConfirm={async () => {
            await call('POST /api/practices/{id}/resume', { id });
            toast(w.resumed);
            onResumed();
          }}
        />
      ) : (
        <p>{other === 'operator' ? w.ofOperator : w.ofOwner}</p>
      )}
    </Note>
  );
};
