import { Button, Code } from './basics.tsx';
import { Dialog } from './dialog.tsx';
import { Note } from './feedback.tsx';
import { useUnsaved } from './unsaved.ts';
import { partWords } from './words.ts';

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
  const w = partWords().secret;
  useUnsaved(secret !== undefined, 'secret');
  return (
    <Dialog title={title} isOpen={secret !== undefined} onClose={onClose} isFirm>
      <Note kind="warn">{w.warning}</Note>
      <Code text={secret ?? ''} label={title} />
      <p class="actions more">
        <Button text={w.done} kind="primary" onClick={onClose} />
      </p>
    </Dialog>
  );
};
