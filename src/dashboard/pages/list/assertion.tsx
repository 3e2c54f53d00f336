// What a practice asserts of a consent that it has already: its basis, where that can be seen, and when it was given.
import { SelectField, TextArea, TextField } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export interface Asserted {
  readonly basis: 'consent' | 'existing_customer';
  readonly evidence: string;
  /** A day; empty: not known. */
  readonly givenOn: string;
}

export const NOT_ASSERTED: Asserted = { basis: 'consent', evidence: '', givenOn: '' };

/** The assertion as the API takes it. */
export const assertedBy = ({ basis, evidence, givenOn }: Asserted) => ({
  basis,
  evidence,
  given_at: givenOn ? new Date(`${givenOn}T00:00`).toISOString() : undefined,
});

export const Assertion = ({
  value,
  onValue,
  path = '',
}: {
  readonly value: Asserted;
  readonly onValue: (value: Asserted) => void;
  /** The path before the names of the fields. */
  readonly path?: string;
}) => {
  const w = translated(words);
  return (
    <>
      <SelectField
        label={w.basis}
        path={`${path}basis`}
        value={value.basis}
        onValue={(basis) => onValue({ ...value, basis })}
        options={w.bases}
      />
      <TextArea
        label={w.evidence}
        hint={w.evidenceHint}
        path={`${path}evidence`}
        required
        rows={2}
        value={value.evidence}
        onValue={(evidence) => onValue({ ...value, evidence })}
      />
      <TextField
        label={w.givenAt}
        type="date"
        path={`${path}given_at`}
        optional
        value={value.givenOn}
        onValue={(givenOn) => onValue({ ...value, givenOn })}
      />
    </>
  );
};
