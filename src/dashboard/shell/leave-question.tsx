// Asks who is about to leave what is not saved, or a secret that is shown once.
import { Button } from '#dashboard/parts/basics.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { leaveQuestion } from '#dashboard/parts/unsaved.ts';
import { shellWords } from './words.ts';

export const LeaveQuestion = () => {
  const w = shellWords().leaving;
  const { value: question } = leaveQuestion;
  if (question === null) return null;
  const { isSecret, isKept, answer } = question;
  return (
    <Dialog title={isSecret ? w.secretTitle : w.title} isOpen onClose={() => answer('stay')}>
      <p>{isSecret ? w.secretText : w.text}</p>
      {isKept && <p>{w.kept}</p>}
      <p class="actions more">
        <Button text={isSecret ? w.secretStay : w.stay} kind="primary" onClick={() => answer('stay')} />
        {isKept && <Button text={w.keep} onClick={() => answer('keep')} />}
        <Button text={isSecret ? w.secretLeave : w.discard} kind="danger" onClick={() => answer('discard')} />
      </p>
    </Dialog>
  );
};
