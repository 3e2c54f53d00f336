// Mail that a restore holds: a person sends or discards it.
import type { HeldMail } from '#api';
import { call } from '#dashboard/api/call.ts';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Note, toast } from '#dashboard/parts/feedback.tsx';
import { may } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const HeldNote = ({
  id,
  held,
  onDone,
}: {
  readonly id: string;
  readonly held: HeldMail;
  readonly onDone: () => void;
}) => {
  const w = translated(words).held;
  const count = held.mails + held.forwards;
  if (count === 0) return null;
  const end = async (answer: Promise<HeldMail>) => {
    await answer;
    toast(w.done);
    onDone();
  };
  return (
    <Note kind="warn">
      <p>
        <strong>{w.title(count)}</strong>
      </p>
      <p>{w.text}</p>
      {may('practice.manage') && (
        <p>
          <Confirm
            button={w.release}
            text={w.releaseText}
            onConfirm={() => end(call('POST /api/practices/{id}/held-mail/release', { id }))}
          />{' '}
          <Confirm
            button={w.discard}
            text={w.discardText}
            onConfirm={() => end(call('POST /api/practices/{id}/held-mail/discard', { id }))}
          />
        </p>
      )}
    </Note>
  );
};
