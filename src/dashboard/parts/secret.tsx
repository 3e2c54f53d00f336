// A secret that is shown this once: it is kept nowhere in a form in which it could be shown again.
import { words } from '#dashboard/words.ts';
import { Code } from './basics.tsx';
import { Dialog } from './dialog.tsx';
import { Note } from './feedback.tsx';

const secretWords = words({
  de: {
    warning: 'Kopieren Sie es jetzt: Es wird nur dieses eine Mal gezeigt.',
    done: 'Ich habe es kopiert',
  },
  en: { warning: 'Copy it now: it is shown this one time only.', done: 'I have copied it' },
});

export const Secret = ({
  title,
  secret,
  onClose,
}: {
  readonly title: string;
  /** Absent: none is shown. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
}) => {
  const w = secretWords();
  return (
    <Dialog title={title} isOpen={secret !== undefined} onClose={onClose}>
      <Note kind="warn">{w.warning}</Note>
      <Code text={secret ?? ''} label={title} />
      <p class="actions more">
        <button type="button" class="primary" onClick={onClose}>
          {w.done}
        </button>
      </p>
    </Dialog>
  );
};
