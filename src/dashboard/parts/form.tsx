// Forms of native controls. A field has its label, a hint and its problem tied to it; `Form` shows what was refused beside the
// button, and each field the problem that the API names by its path in the body.
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { type Action, problemAt } from '#dashboard/data.ts';
import { DraftNote, type Held, useDraft } from './draft.tsx';
import { ErrorNote } from './feedback.tsx';
import { partWords } from './words.ts';

const FormError = createContext<unknown>(undefined);

interface FormProps {
  readonly action: Action<readonly []>;
  readonly submit: string;
  readonly children: ComponentChildren;
  /** Further buttons beside the one that submits. */
  readonly others?: ComponentChildren;
  readonly kind?: 'danger' | 'primary';
  /** See `ErrorNote`. */
  readonly what?: string;
  /** False: who leaves it is not asked, and no draft is kept. */
  readonly isGuarded?: boolean;
  /** What it holds besides native controls, made by `held` of draft.tsx: then the draft is that. */
  readonly held?: Held;
}

export const Form = ({ action, submit, children, others, kind, what, isGuarded = true, held }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const draft = useDraft(form, { submit, isGuarded, held });
  // Above the button that was clicked there may be no room for what was refused.
  useEffect(() => {
    if (action.error !== undefined)
      form.current?.querySelector(':scope > [role=alert]')?.scrollIntoView({ block: 'nearest' });
  }, [action.error]);
  return (
    <FormError.Provider value={action.error}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          // A dialog's form may be in the tree of another one.
          if (event.target === event.currentTarget) void draft.saving(action.run);
        }}
      >
        <DraftNote offer={draft.offer} />
        {children}
        <ErrorNote error={action.error} what={what} />
        <div class="actions">
          <button type="submit" class={kind ?? 'primary'} disabled={action.isRunning}>
            {submit}
          </button>
          {others}
        </div>
      </form>
    </FormError.Provider>
  );
};

/** What is typed into a form, by the names of the body; `field` ties a part of the form to one of them. */
export const useFields = <T extends object>(first: T) => {
  const [fields, setFields] = useState(first);
  const field = <K extends keyof T & string>(name: K) => ({
    path: name,
    value: fields[name],
    onValue: (value: T[K]) => setFields((before) => ({ ...before, [name]: value })),
  });
  return { fields, field, setFields };
};

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Path in the body, for the problem that the API names: `to[0].address`. */
  readonly path?: string;
  readonly optional?: boolean;
}

interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

export const Field = ({
  label,
  hint,
  path,
  optional,
  children,
}: FieldProps & { readonly children: (wiring: Wiring) => ComponentChildren }) => {
  const id = useId();
  const problem = problemAt(useContext(FormError), path ?? '\0');
  const described = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label} {optional && <span class="quiet">({partWords().optional})</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`} lang={problem.language}>
          {problem.message}
        </p>
      )}
    </div>
  );
};

type Valued = FieldProps & { readonly value: string; readonly onValue: (value: string) => void };
interface InputProps {
  readonly type?: 'email' | 'password' | 'number' | 'date' | 'datetime-local' | 'url';
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly min?: string | number;
  readonly max?: string | number;
  /** Id of a `<datalist>`. */
  readonly list?: string;
}

/** The attributes are like those of `type="email"`, which refuses the letters beyond ASCII that the service takes before the @. */
const EMAIL = { inputMode: 'email', autocapitalize: 'none', spellcheck: false, pattern: '.+@.+' };

export const TextField = ({
  label,
  hint,
  path,
  optional,
  type,
  value,
  onValue,
  ...input
}: Valued & InputProps) => {
  // The element's own type is a union over `type`, which is not known here.
  const attributes: object = { ...input, ...(type === 'email' ? EMAIL : { type }) };
  return (
    <Field label={label} hint={hint} path={path} optional={optional}>
      {(wiring) => (
        <input
          {...attributes}
          {...wiring}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
};

export const TextArea = ({
  label,
  hint,
  path,
  optional,
  value,
  onValue,
  rows = 6,
  required = false,
  isSecret = false,
}: Valued & {
  readonly rows?: number;
  readonly required?: boolean;
  /** No draft has it. */
  readonly isSecret?: boolean;
}) => (
  <Field label={label} hint={hint} path={path} optional={optional}>
    {(wiring) => (
      <textarea
        {...wiring}
        rows={rows}
        required={required}
        data-secret={isSecret || undefined}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** Values with their texts. */
export type Options<V extends string = string> = Readonly<Record<V, string>>;

/** Records to choose from, by id. */
export const named = (records: readonly { readonly id: string; readonly name: string }[]): Options =>
  Object.fromEntries(records.map(({ id, name }) => [id, name]));

interface Chosen<V extends string> {
  readonly value: V;
  readonly onValue: (value: V) => void;
  readonly options: Options<V>;
}

export const Select = <V extends string>({
  value,
  onValue,
  options,
  ...attributes
}: Chosen<V> & Partial<Wiring> & { readonly 'aria-label'?: string; readonly disabled?: boolean }) => (
  <select
    {...attributes}
    value={value}
    // There is no other value among the options.
    onChange={(event) => onValue(event.currentTarget.value as V)}
  >
    {Object.entries<string>(options).map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

export const SelectField = <V extends string>({
  label,
  hint,
  path,
  optional,
  ...chosen
}: FieldProps & Chosen<V>) => (
  <Field label={label} hint={hint} path={path} optional={optional}>
    {(wiring) => <Select {...wiring} {...chosen} />}
  </Field>
);

export const CheckField = ({
  label,
  hint,
  value,
  onValue,
  disabled = false,
}: {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly value: boolean;
  readonly onValue: (value: boolean) => void;
  readonly disabled?: boolean;
}) => {
  const id = useId();
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

/** A search box in a page; `/` leads into it. */
export const SearchField = ({
  label,
  value,
  onValue,
  placeholder,
}: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly placeholder?: string;
}) => (
  <input
    type="search"
    class="search"
    data-search
    aria-label={label}
    placeholder={placeholder ?? label}
    value={value}
    onInput={(event) => onValue(event.currentTarget.value)}
  />
);
