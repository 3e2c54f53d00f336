// A button that opens a form in a dialog. The form is made whenever it is opened, so nothing typed before is left in it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { Dialog } from './dialog.tsx';
import { closeUnlessUnsaved } from './unsaved.ts';

export const FormDialog = ({
  button,
  title = button,
  kind,
  wide,
  children,
}: {
  readonly button: string;
  /** The heading of the dialog; the button's text where absent. */
  readonly title?: string;
  readonly kind?: 'primary' | 'small' | 'danger';
  readonly wide?: boolean;
  /** `close` is called when it is done. */
  readonly children: (close: () => void) => ComponentChildren;
}) => {
  const [isOpen, setOpen] = useState(false);
  const { query, path, route } = useLocation();
  // The palette leads to the page and asks for its form.
  const isWanted = kind === 'primary' && query.create !== undefined;
  useEffect(() => {
    if (!isWanted) return;
    setOpen(true);
    route(path, true);
  }, [isWanted]);
  const box = useRef<HTMLDivElement>(null);
  // Its form's own "cancel" closes it too. While the form saves it is closed at once.
  const close = (): void => closeUnlessUnsaved(box.current, () => setOpen(false));
  return (
    <>
      <button type="button" class={kind} onClick={() => setOpen(true)}>
        {button}
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={close} wide={wide}>
        <div ref={box}>{isOpen && children(close)}</div>
      </Dialog>
    </>
  );
};

/** First the dialog is closed, then the page loads what was changed. */
export const both = (close: () => void, then: () => void) => (): void => {
  close();
  then();
};
