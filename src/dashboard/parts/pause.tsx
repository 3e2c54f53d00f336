// That a practice is paused, why, and how it goes on: by its owners, or by the operator alone where the operator paused it.
import type { Practice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { account, practice } from '#dashboard/session.ts';
import { words } from '#dashboard/words.ts';
import { Time } from './basics.tsx';
import { Confirm } from './dialog.tsx';
import { Note, toast } from './feedback.tsx';

const pauseWords = words({
  de: {
    title: 'Der Versand ist angehalten.',
    by: {
      guardrail: 'Angehalten vom Dienst, weil zu viele Mails abgewiesen oder als Spam gemeldet wurden',
      member: 'Angehalten von einem Mitglied',
      operator: 'Angehalten vom Betreiber',
    },
    waits: 'Was noch wartet, bleibt liegen. Neue Nachrichten werden abgelehnt.',
    resume: 'Versand fortsetzen',
    resumeText:
      'Was wartet, geht sofort hinaus. Setzen Sie den Versand erst fort, wenn der Grund behoben ist.',
    resumed: 'Der Versand geht weiter',
    ofOperator: 'Nur der Betreiber kann den Versand fortsetzen. Schreiben Sie ihm.',
    ofOwner: 'Ein Inhaber kann den Versand fortsetzen.',
  },
  en: {
    title: 'Sending is paused.',
    by: {
      guardrail: 'Paused by the service, because too much mail was refused or reported as spam',
      member: 'Paused by a member',
      operator: 'Paused by the operator',
    },
    waits: 'What waits stays where it is. New messages are refused.',
    resume: 'Resume sending',
    resumeText: 'What waits goes out at once. Resume only after the reason is dealt with.',
    resumed: 'Sending goes on',
    ofOperator: 'Only the operator can resume sending. Write to them.',
    ofOwner: 'An owner can resume sending.',
  },
});

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
  const w = pauseWords();
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
