// The content of a mail as it is written: a document in the editor for people who write letters, source in that for code, test values for
// its placeholders, and beside it the mail as its recipient will see it.
import { useState } from 'preact/hooks';
import { Refusal } from '#dashboard/api/call.ts';
import { CodeField } from '#dashboard/parts/code-field.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { DocumentField, type WrittenDocument } from '#dashboard/parts/document-field.tsx';
import { Note } from '#dashboard/parts/feedback.tsx';
import { TextField } from '#dashboard/parts/form.tsx';
import { imageAddress, makeDocument, uploadImage, useMade } from '#dashboard/parts/made-content.ts';
import { brokenIn, type ContentProblem, lineOf, placeholdersIn } from '#dashboard/parts/placeholders.ts';
import { practice } from '#dashboard/session.ts';
import { Check } from './check.tsx';
import { Choice, Preview } from './preview.tsx';
import type { FieldsProps } from './shape.ts';
import { contentWords } from './words.ts';

/** What was refused in this part, and in what is in it. */
const refusedIn = (error: unknown, path: string, part: string): ContentProblem[] =>
  error instanceof Refusal
    ? error.fields
        .filter((field) => field.path === `body.${path}` || field.path.startsWith(`body.${path}.`))
        .map(({ message }) => ({ line: lineOf(part, message), message }))
    : [];

const SourceField = ({ content, onContent, error }: Pick<FieldsProps, 'content' | 'onContent' | 'error'>) => {
  const w = contentWords();
  const designed = content.mjml === null ? 'html' : 'mjml';
  const [form, setForm] = useState<'html' | 'mjml' | 'text'>(content[designed] === '' ? 'text' : designed);
  const part = content[form] ?? '';
  const broken = brokenIn(part, w.broken);
  const label = { html: w.html, mjml: w.mjml, text: w.text };
  return (
    <>
      <Choice
        label={w.form}
        options={[
          [designed, label[designed]],
          ['text', w.text],
        ]}
        value={form}
        onValue={setForm}
      />
      <CodeField
        key={form}
        label={label[form]}
        hint={form === 'mjml' ? `${w.mjmlHint} ${w.hint}` : w.hint}
        language={form === 'text' ? 'text' : 'html'}
        value={part}
        onValue={(typed) => onContent({ ...content, [form]: typed })}
        problems={broken.length > 0 ? broken : refusedIn(error, form, part)}
      />
    </>
  );
};

type WritingProps = Omit<FieldsProps, 'values' | 'onValues' | 'areForAll'> & {
  readonly document: WrittenDocument;
  readonly problems: readonly string[];
};

const Writing = ({ content, document, onContent, known, offered = [], error, problems }: WritingProps) => {
  const w = contentWords();
  const id = practice.value?.id ?? '';
  const names = ['name', ...offered, ...Object.keys(known)];
  const refused = refusedIn(error, 'document', '').map(({ message }) => message);
  return (
    <>
      <DocumentField
        label={w.document}
        value={document}
        onChange={(changed) => onContent({ ...content, document: changed })}
        placeholders={[...new Set(names)].map((name) => ({ name, label: w.placeholderNames[name] ?? name }))}
        upload={(file) => uploadImage(id, file)}
        imageUrl={(image) => imageAddress(id, image)}
      />
      {(problems.length > 0 || refused.length > 0) && (
        <Note kind="warn">
          <p>{w.notYet}</p>
          <ul>
            {[...new Set([...refused, ...problems])].map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </Note>
      )}
      <div class="hint">
        <Confirm
          small
          button={w.toSource}
          title={w.toSourceTitle}
          text={w.toSourceText}
          onConfirm={async () => {
            const { html, text } = await makeDocument(id, document, content.subject);
            onContent({ ...content, html, text, document: null });
          }}
        />
      </div>
    </>
  );
};

export const Fields = (props: FieldsProps) => {
  const { content, onContent, values, onValues, known, areForAll = false, error } = props;
  const w = contentWords();
  const made = useMade(practice.value?.id ?? '', content);
  const shown = { ...content, ...made };
  const names = placeholdersIn(content.subject, shown.text, shown.html).filter(
    (name) => !Object.hasOwn(known, name),
  );
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
        {content.document === null ? (
          <SourceField content={content} onContent={onContent} error={error} />
        ) : (
          <Writing {...props} document={content.document} problems={made.problems} />
        )}
      </div>
      <div>
        <Preview content={shown} values={{ ...known, ...values }} />
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
        <Check content={content} values={values} />
      </div>
    </div>
  );
};
