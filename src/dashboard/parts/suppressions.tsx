// Why an address gets no mail, and lifting it: asked about first, and with a warning where the person did not want mail.
import type { Suppression } from '#api';
import { call } from '#dashboard/api/call.ts';
import { may, practice } from '#dashboard/session.ts';
import { words } from '#dashboard/words.ts';
import { Time } from './basics.tsx';
import { Confirm } from './dialog.tsx';
import { Note, toast } from './feedback.tsx';

type Reason = Suppression['reason'];

export const suppressionWords = words({
  de: {
    title: 'Diese Adresse ist gesperrt',
    scopes: {
      team: 'gilt für alle Post',
      project: 'gilt für ein Projekt',
      route: 'gilt für einen Versandweg',
    },
    since: 'seit',
    reasons: {
      hard_bounce: 'Post wurde endgültig abgewiesen',
      soft_bounces: 'Post wurde mehrmals abgewiesen',
      complaint: 'Der Empfänger hat Post als Spam gemeldet',
      unsubscribe: 'Der Empfänger hat sich abgemeldet',
      unsubscribe_all: 'Der Empfänger hat sich von allem abgemeldet',
      manual: 'Von Hand gesperrt',
      import: 'Kam mit einer Sperrliste',
      erasure: 'Die Daten der Person wurden gelöscht',
    } satisfies Record<Reason, string>,
    lift: 'Sperre aufheben',
    liftTitle: 'Diese Sperre aufheben?',
    liftText: 'Danach geht wieder Post an diese Adresse. Was schon gesperrt war, wird nicht nachgesendet.',
    unwanted:
      'Der Empfänger wollte diese Post nicht. Heben Sie die Sperre nur auf, wenn er ausdrücklich darum bittet: Post gegen seinen Willen ist verboten und schadet dem Ruf Ihrer Domain.',
    lifted: 'Die Sperre ist aufgehoben.',
  },
  en: {
    title: 'This address is suppressed',
    scopes: {
      team: 'applies to all mail',
      project: 'applies to one project',
      route: 'applies to one route',
    },
    since: 'since',
    reasons: {
      hard_bounce: 'Mail was refused for good',
      soft_bounces: 'Mail was refused several times',
      complaint: 'The recipient reported mail as spam',
      unsubscribe: 'The recipient has unsubscribed',
      unsubscribe_all: 'The recipient has unsubscribed from everything',
      manual: 'Suppressed by hand',
      import: 'Came with a list of suppressions',
      erasure: 'The person’s data was erased',
    } satisfies Record<Reason, string>,
    lift: 'Lift suppression',
    liftTitle: 'Lift this suppression?',
    liftText: 'Mail to this address is sent again afterwards. What was suppressed before is not sent later.',
    unwanted:
      'The recipient did not want this mail. Lift the suppression only if they expressly ask for it: mail against their will is unlawful and harms the reputation of your domain.',
    lifted: 'The suppression is lifted.',
  },
});

const UNWANTED: ReadonlySet<Reason> = new Set(['complaint', 'unsubscribe', 'unsubscribe_all']);

export const LiftSuppression = ({
  suppression: { id: suppressionID, reason },
  onLifted,
}: {
  readonly suppression: Suppression;
  readonly onLifted: () => void;
}) => {
  const w = suppressionWords();
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

/** Those of one address; nothing where there is none. */
export const Suppressions = ({
  suppressions,
  onLifted,
}: {
  readonly suppressions: readonly Suppression[];
  readonly onLifted: () => void;
}) => {
  const w = suppressionWords();
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
