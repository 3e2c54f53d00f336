// The fields of a form: chosen, named and put in order.
import type { WebsiteFormField } from '#api';
import { Button } from '#dashboard/parts/basics.tsx';
import { CheckField, SelectField, TextArea, TextField } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** A field as it is edited: its choices are lines. */
export interface EditedField extends Omit<WebsiteFormField, 'choices'> {
  readonly choices: string;
}

export const editedFields = (fields: readonly WebsiteFormField[]): readonly EditedField[] =>
  fields.map(({ choices, ...field }) => ({ ...field, choices: (choices ?? []).join('\n') }));

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

const FILE_KEYS = ['file', 'file2', 'file3'] as const;

/** Keys stay for as long as a field is there: HTML that is embedded already has them. */
const keyFor = (type: WebsiteFormField['type'], others: readonly EditedField[]): string => {
  const taken = new Set(others.map(({ key }) => key));
  const names = type === 'file' ? FILE_KEYS : others.map((_, at) => `${type}${at + 1}`);
  return names.find((name) => !taken.has(name)) ?? `${type}${others.length + 1}`;
};

export const savedFields = (fields: readonly EditedField[]): WebsiteFormField[] =>
  fields.map(({ choices, ...field }) => ({
    ...field,
    choices: field.type === 'choice' ? linesOf(choices) : null,
  }));

interface FieldsProps {
  readonly fields: readonly EditedField[];
  readonly onFields: (fields: readonly EditedField[]) => void;
}

const isFile = (type: string): boolean => type === 'file';

export const Fields = ({ fields, onFields }: FieldsProps) => {
  const w = translated(words);
  const change = (at: number, changes: Partial<EditedField>): void =>
    onFields(
      fields.map((field, index) => {
        if (index !== at) return field;
        const changed = { ...field, ...changes };
        // A file has a name of its own kind in the HTML.
        const key = isFile(changed.type) === isFile(field.type) ? field.key : keyFor(changed.type, fields);
        return { ...changed, key };
      }),
    );
  const move = (at: number, by: -1 | 1): void => {
    const moved = fields.toSpliced(at, 1);
    const field = fields[at];
    if (field) onFields(moved.toSpliced(at + by, 0, field));
  };
  const add = (): void =>
    onFields([
      ...fields,
      { key: keyFor('text', fields), type: 'text', label: w.newField, required: false, choices: '' },
    ]);
  return (
    <>
      {fields.map(({ key, type, label, required, choices }, at) => (
        <fieldset key={key} class="rule">
          <legend>{w.fieldTitle(label.split('\n', 1)[0] ?? '')}</legend>
          {type === 'consent' ? (
            <TextArea
              label={w.label}
              path={`fields[${at}].label`}
              required
              rows={3}
              value={label}
              onValue={(value) => change(at, { label: value })}
            />
          ) : (
            <TextField
              label={w.label}
              path={`fields[${at}].label`}
              required
              value={label}
              onValue={(value) => change(at, { label: value })}
            />
          )}
          <SelectField
            label={w.type}
            path={`fields[${at}].type`}
            options={w.types}
            value={type}
            onValue={(value) => change(at, { type: value })}
          />
          {type === 'choice' && (
            <TextArea
              label={w.choices}
              path={`fields[${at}].choices`}
              required
              rows={3}
              value={choices}
              onValue={(value) => change(at, { choices: value })}
            />
          )}
          <CheckField
            label={w.required}
            value={required}
            onValue={(value) => change(at, { required: value })}
          />
          <div class="actions">
            <Button text={w.up} kind="small" disabled={at === 0} onClick={() => move(at, -1)} />
            <Button
              text={w.down}
              kind="small"
              disabled={at === fields.length - 1}
              onClick={() => move(at, 1)}
            />
            <Button
              text={w.remove}
              kind="small"
              disabled={fields.length === 1}
              onClick={() => onFields(fields.toSpliced(at, 1))}
            />
          </div>
        </fieldset>
      ))}
      <p>
        <Button text={w.addField} onClick={add} />
      </p>
    </>
  );
};
