// A field for recipients. People whom the practice knows are offered as one types (a combobox with a list, after the ARIA pattern:
// the focus stays in the field, the arrows choose); an address that is typed is checked.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { Button, Hidden } from '#dashboard/parts/basics.tsx';
import { Field } from '#dashboard/parts/form.tsx';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { type Recipient, readRecipients, withRecipients } from './addresses.ts';
import { findPeople } from './known-people.ts';
import { words } from './words/de.ts';

/** Long enough that a word is not searched letter by letter. */
const TYPING_MS = 200;

const nameOf = ({ name, address }: Recipient): string => name || address;

/** People who fit what is typed; `undefined`: nothing is typed, and nobody asked for them. */
const useKnown = (typed: string | undefined): readonly Recipient[] => {
  const [found, setFound] = useState<readonly Recipient[]>([]);
  useEffect(() => {
    if (typed === undefined) {
      setFound([]);
      return;
    }
    const controller = new AbortController();
    const search = (): void =>
      void findPeople(practice.value?.id ?? '', typed, controller.signal).then(
        (people) => controller.signal.aborted || setFound(people),
        () => {},
      );
    const timer = setTimeout(search, typed === '' ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [typed]);
  return found;
};

interface Doubt {
  readonly address: string;
  /** Null: there is nothing that was probably meant. */
  readonly suggestion: string | null;
}

interface RecipientsProps {
  readonly label: string;
  /** Its field of the body. */
  readonly path: string;
  readonly recipients: readonly Recipient[];
  readonly onRecipients: (recipients: readonly Recipient[]) => void;
  readonly hint?: string;
  readonly isRequired?: boolean;
}

export const Recipients = ({
  label,
  path,
  recipients,
  onRecipients,
  hint,
  isRequired = false,
}: RecipientsProps) => {
  const w = translated(words);
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const [wrong, setWrong] = useState('');
  const [doubts, setDoubts] = useState<readonly Doubt[]>([]);
  const known = useKnown(isOpen ? typed : undefined);
  const choices = known.filter(
    ({ address }) => !recipients.some((one) => one.address.toLowerCase() === address.toLowerCase()),
  );
  const isShown = isOpen && choices.length > 0;
  const chosen = isShown ? choices[at] : undefined;
  const latest = useRef(recipients);
  latest.current = recipients;
  const change = (changed: readonly Recipient[]): void => {
    latest.current = changed;
    onRecipients(changed);
  };

  const look = async (added: readonly Recipient[]): Promise<void> => {
    const emails = added.map(({ address }) => address);
    const { results } = await call('POST /api/practices/{id}/validate-emails', {
      id: practice.value?.id ?? '',
      body: { emails: emails as [string, ...string[]] },
    });
    const found = results
      .filter(
        ({ suggestion, reasons }) =>
          suggestion !== null || reasons.includes('no_mail_host') || reasons.includes('null_mx'),
      )
      .map(({ email, suggestion }) => ({ address: email, suggestion }));
    setDoubts((before) => [...before, ...found]);
  };
  const add = (added: readonly Recipient[]): void => {
    change(withRecipients(latest.current, added));
    setTyped('');
    setWrong('');
    setOpen(false);
    setAt(-1);
  };
  /** Takes the addresses that are typed; what is none stays in the field, and it says so. */
  const take = (text: string): void => {
    const { recipients: read, rest } = readRecipients(text);
    if (read.length > 0) {
      add(read);
      // Where the service cannot say it, the check of the whole letter does.
      void look(read).catch(() => {});
    }
    setTyped(rest);
    setWrong(rest === '' ? '' : w.notAnAddress(rest));
  };
  const remove = (one: Recipient): void => {
    change(latest.current.filter((other) => other !== one));
    input.current?.focus();
  };
  const replace = ({ address, suggestion }: Doubt): void => {
    change(
      latest.current.map((one) =>
        one.address === address && suggestion !== null ? { ...one, address: suggestion } : one,
      ),
    );
    input.current?.focus();
  };
  useEffect(() => {
    input.current?.setCustomValidity(wrong);
  }, [wrong]);

  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setOpen(true);
      const from = at < 0 && step < 0 ? 0 : at;
      if (choices.length > 0) setAt((from + step + choices.length) % choices.length);
    } else if (event.key === 'Enter') {
      // It sends nothing by mistake.
      event.preventDefault();
      if (chosen) add([chosen]);
      else if (typed.trim() !== '') take(typed);
    } else if (event.key === 'Escape' && isShown) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      setAt(-1);
    } else if (event.key === 'Backspace' && typed === '') {
      const last = latest.current.at(-1);
      if (last) remove(last);
    }
  };
  const doubtful = doubts.filter(({ address }) => recipients.some((one) => one.address === address));
  return (
    <div class="recipientfield">
      <Field label={label} path={path} hint={hint}>
        {(wiring) => (
          <div class="tokens">
            {recipients.map((one) => (
              <span key={one.address} class="token" title={one.address}>
                {nameOf(one)}
                <button type="button" aria-label={`${w.remove}: ${nameOf(one)}`} onClick={() => remove(one)}>
                  ✕
                </button>
              </span>
            ))}
            <input
              {...wiring}
              ref={input}
              type="text"
              inputMode="email"
              autocapitalize="none"
              autocomplete="off"
              spellcheck={false}
              role="combobox"
              aria-expanded={isShown}
              aria-controls={isShown ? listId : undefined}
              aria-autocomplete="list"
              aria-activedescendant={chosen ? `${listId}-${at}` : undefined}
              aria-invalid={wrong !== '' || wiring['aria-invalid']}
              aria-required={isRequired}
              required={isRequired && recipients.length === 0}
              value={typed}
              onInput={(event) => {
                const { value } = event.currentTarget;
                setWrong('');
                setAt(-1);
                setOpen(value.trim() !== '');
                // A separator ends an address, but not a name with a comma in it: `Muster, Erika`.
                const isEnded = /[,;\n]\s*$/.test(value) && readRecipients(value).rest === '';
                if (isEnded) take(value);
                else setTyped(value);
              }}
              onKeyDown={press}
              onClick={() => setOpen(true)}
              onBlur={() => {
                setOpen(false);
                setAt(-1);
                if (typed.trim() !== '') take(typed);
              }}
            />
            {isShown && (
              <div id={listId} role="listbox" aria-label={w.knownPeople} class="choices">
                {choices.map((one, index) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
                  <div
                    key={one.address}
                    id={`${listId}-${index}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={index === at}
                    // The focus stays in the field.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => add([one])}
                  >
                    {nameOf(one)} {one.name && <span class="quiet">{one.address}</span>}
                  </div>
                ))}
              </div>
            )}
          </div>
        )}
      </Field>
      <Hidden>
        <span role="status">{isShown ? w.offered(choices.length) : ''}</span>
      </Hidden>
      {wrong && (
        <p class="problem" role="alert">
          {wrong}
        </p>
      )}
      {doubtful.map((doubt) => (
        <p key={doubt.address} class="problem" role="status">
          {doubt.suggestion === null ? w.noMailThere(doubt.address) : w.didYouMean(doubt.address)}{' '}
          {doubt.suggestion !== null && (
            <Button text={doubt.suggestion} kind="small" onClick={() => replace(doubt)} />
          )}
        </p>
      ))}
    </div>
  );
};
