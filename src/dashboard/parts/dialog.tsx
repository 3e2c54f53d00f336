// Dialogs and menus by the browser's own elements: it keeps the focus inside and closes them by Escape.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAction } from '#dashboard/data.ts';
import { Button } from './basics.tsx';
import { Form } from './form.tsx';
import { closeUnlessUnsaved } from './unsaved.ts';
import { partWords } from './words.ts';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
  /** It is closed by its own button alone: what it shows is shown once. */
  readonly isFirm?: boolean;
}

export const Dialog = ({ title, isOpen, onClose, children, wide = false, isFirm = false }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (!isOpen || !dialog) return;
    const before = document.activeElement;
    dialog.showModal();
    // The browser would choose the button that closes it. What is only confirmed is not confirmed by the same key.
    dialog
      .querySelector<HTMLElement>('form :is(input, select, textarea):enabled, form:has(input) .primary')
      ?.focus();
    return () => {
      dialog.close();
      // A dialog that was taken out of the document gives nothing back.
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
  if (!isOpen) return null;
  const leave = (): void => {
    if (!isFirm) closeUnlessUnsaved(element.current, onClose);
  };
  // A browser lets a page refuse a `cancel` once only, but each press of the key.
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || element.current?.querySelector(':popover-open'))
      return;
    event.preventDefault();
    event.stopPropagation();
    leave();
  };
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : undefined}
      aria-labelledby={id}
      onKeyDown={press}
      onCancel={(event) => {
        // A file chooser that is closed says it too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        leave();
      }}
      onClose={(event) => event.target === event.currentTarget && !event.currentTarget.open && onClose()}
    >
      <div class="cardhead">
        <h2 id={id}>{title}</h2>
        {!isFirm && (
          <button type="button" class="plain" aria-label={partWords().close} onClick={leave}>
            ✕
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
};

interface ConfirmProps {
  /** The text of the button that opens it. */
  readonly button: string;
  /** The heading of the dialog; the button's text where absent. */
  readonly title?: string;
  readonly text: ComponentChildren;
  /** The text of the button that does it, a verb; the first button's where absent. */
  readonly confirm?: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly kind?: 'danger' | 'primary';
  readonly small?: boolean;
  readonly disabled?: boolean;
}

/** A button whose action is asked about first; what is refused is shown in the dialog. */
export const Confirm = ({
  button,
  title = button,
  text,
  confirm = button,
  onConfirm,
  kind,
  small,
  disabled = false,
}: ConfirmProps) => {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(async () => {
    await onConfirm();
    setOpen(false);
  });
  const box = useRef<HTMLDivElement>(null);
  const close = (): void =>
    closeUnlessUnsaved(box.current, () => {
      setOpen(false);
      action.clear();
    });
  return (
    <>
      <button
        type="button"
        class={[kind ?? '', small ? 'small' : ''].join(' ')}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {button}
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <Form
          action={action}
          submit={confirm}
          kind={kind}
          others={<Button text={partWords().cancel} onClick={close} />}
        >
          <div class="question" ref={box}>
            {text}
          </div>
        </Form>
      </Dialog>
    </>
  );
};

/** A button with a list of links and buttons below it. */
export const Menu = ({
  label,
  children,
}: {
  readonly label: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const id = useId();
  return (
    <span class="menu">
      <button type="button" popovertarget={id}>
        {label} <span aria-hidden="true">▾</span>
      </button>
      <div id={id} popover="auto" class="menulist">
        {children}
      </div>
    </span>
  );
};
