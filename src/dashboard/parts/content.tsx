// The content of a mail as it is written: subject, HTML and text in the editor, test values for its placeholders, and beside it the
// mail as its recipient will see it.
import { useState } from 'preact/hooks';
import { Refusal } from '#dashboard/api/call.ts';
import { Button } from './basics.tsx';
import { CodeField } from './code-field.tsx';
import { TextField } from './form.tsx';
import { DraftFrame } from './mail-frame.tsx';
import { asHtml, brokenIn, type ContentProblem, filled, lineOf, placeholdersIn } from './placeholders.ts';
import { partWords } from './words.ts';

export interface Content {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type Values = Readonly<Record<string, string>>;

/** The content as the API takes it: an empty version is none. */
export const sentContent = ({ subject, text, html }: Content) => ({
  subject,
  text: text.trim() === '' ? null : text,
  html: html.trim() === '' ? null : html,
});

export const contentOf = (of: {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}): Content => ({ subject: of.subject, text: of.text ?? '', html: of.html ?? '' });

/** One of a few, as buttons. */
const Choice = <T extends string>({
  label,
  options,
  value,
  onValue,
}: {
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly value: T;
  readonly onValue: (value: T) => void;
}) => (
  <fieldset class="oneof">
    <legend class="hidden">{label}</legend>
    {options.map(([one, text]) => (
      <Button text={text} kind="small" key={one} aria-pressed={one === value} onClick={() => onValue(one)} />
    ))}
  </fieldset>
);

const PHONE = 375;

export const ContentPreview = ({
  content,
  values = {},
}: {
  readonly content: Content;
  readonly values?: Values;
}) => {
  const w = partWords().content;
  const [wanted, setWanted] = useState<'desktop' | 'phone' | 'text'>('desktop');
  const view = content.html === '' ? 'text' : wanted;
  return (
    <section aria-label={w.preview}>
      <div class="cardhead">
        <h2>{w.preview}</h2>
        {content.html !== '' && (
          <Choice
            label={w.preview}
            options={[
              ['desktop', w.desktop],
              ['phone', w.phone],
              ['text', w.textOnly],
            ]}
            value={view}
            onValue={setWanted}
          />
        )}
      </div>
      <p class="subjectline">{filled(content.subject, values)}</p>
      {view === 'text' ? (
        <pre class="draft">{filled(content.text, values) || w.nothing}</pre>
      ) : (
        <DraftFrame
          title={w.preview}
          html={filled(content.html, values, asHtml)}
          width={view === 'phone' ? PHONE : undefined}
        />
      )}
    </section>
  );
};

const refusedIn = (error: unknown, path: string, part: string): ContentProblem[] =>
  error instanceof Refusal
    ? error.fields
        .filter((field) => field.path === `body.${path}`)
        .map(({ message }) => ({ line: lineOf(part, message), message }))
    : [];

export const ContentFields = ({
  content,
  onContent,
  values,
  onValues,
  known,
  areForAll = false,
  error,
}: {
  readonly content: Content;
  readonly onContent: (content: Content) => void;
  readonly values: Values;
  readonly onValues: (values: Values) => void;
  /** What the practice has said about itself. */
  readonly known: Values;
  /** The values are sent: they are not for tests only. */
  readonly areForAll?: boolean;
  /** What the API refused it with. */
  readonly error: unknown;
}) => {
  const w = partWords().content;
  const [form, setForm] = useState<'html' | 'text'>(content.html === '' ? 'text' : 'html');
  const part = content[form];
  const names = placeholdersIn(content.subject, content.text, content.html).filter(
    (name) => !Object.hasOwn(known, name),
  );
  const broken = brokenIn(part, w.broken);
  return (
    <div class="writing">
      <div>
        <TextField
          label={w.subject}
          path="subject"
          required
          value={content.subject}
          onValue={(subject) => onContent({ ...content, subject })}
        />
        <Choice
          label={w.form}
          options={[
            ['html', w.html],
            ['text', w.text],
          ]}
          value={form}
          onValue={setForm}
        />
        <CodeField
          key={form}
          label={form === 'html' ? w.html : w.text}
          hint={w.hint}
          language={form}
          value={part}
          onValue={(typed) => onContent({ ...content, [form]: typed })}
          problems={broken.length > 0 ? broken : refusedIn(error, form, part)}
        />
      </div>
      <div>
        <ContentPreview content={content} values={{ ...known, ...values }} />
        {names.length > 0 && (
          <fieldset class="testvalues">
            <legend>{areForAll ? w.forAll : w.values}</legend>
            <p class="hint">{areForAll ? w.forAllHint : w.valuesHint}</p>
            <div class="columns">
              {names.map((name) => (
                <TextField
                  key={name}
                  label={name}
                  value={values[name] ?? ''}
                  onValue={(value) => onValues({ ...values, [name]: value })}
                />
              ))}
            </div>
          </fieldset>
        )}
      </div>
    </div>
  );
};
