// Why an address gets no mail, and lifting it: asked about first, and with a warning where the person did not want mail.
import type { Suppression } from '#api';
import { call } from '#dashboard/api/call.ts';
import { may, practice } from '#dashboard/session.ts';
import { Time } from './basics.tsx';
import { Confirm } from './dialog.tsx';
import { Note, toast } from './feedback.tsx';
import { partWords } from './words.ts';

type Reason = Suppression['reason'];

const UNWANTED: ReadonlySet<Reason> = new Set(['complaint', 'unsubscribe', 'unsubscribe_all']);

export const LiftSuppression = ({
  suppression: { id: suppressionID, reason },
  onLifted,
}: {
  readonly suppression: Suppression;
  readonly onLifted: () => void;
}) => {
  const w = partWords().suppression;
  const id = practice.value?.id ?? '';
  const lift = async (): Promise<void> => {
    await call('DELETE /api/practices/{id}/suppression/{suppressionID}', { id, suppressionID });
    toast(w.lifted);
    onLifted();
  };
  if (!may('suppressions.manage')) return null;
  return (
    <Confirm
      small
      button={w.lift}
      title={w.liftTitle}
      onConfirm={lift}
      kind={UNWANTED.has(reason) ? 'danger' : undefined}
      text={
        <>
          {UNWANTED.has(reason) && <Note kind="warn">{w.unwanted}</Note>}
          <p>{w.liftText}</p>
        </>
      }
    />
  );
};

/** The suppressions of one address; nothing where there is none. */
export const Suppressions = ({
  suppressions,
  onLifted,
}: {
  readonly suppressions: readonly Suppression[];
  readonly onLifted: () => void;
}) => {
  const w = partWords().suppression;
  if (suppressions.length === 0) return null;
  return (
    <Note kind="warn">
      <p>
        <strong>{w.title}</strong>
      </p>
      <ul class="unmarked">
        {suppressions.map((one) => (
          <li key={one.id}>
            {w.reasons[one.reason]}; {w.scopes[one.scope]} {w.since} <Time at={one.created_at} />
            {one.note && <> – {one.note}</>} <LiftSuppression suppression={one} onLifted={onLifted} />
          </li>
        ))}
      </ul>
    </Note>
  );
};
