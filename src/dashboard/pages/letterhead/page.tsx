// The letterhead: what is above and below what the practice writes, and the colour of its buttons and links.
import { useState } from 'preact/hooks';
import type { Letterhead } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Button, Card, Head } from '#dashboard/parts/basics.tsx';
import { held } from '#dashboard/parts/draft.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Field, Form, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { imageAddress, uploadImage } from '#dashboard/parts/made-content.ts';
import { filled, practiceValues } from '#dashboard/parts/placeholders.ts';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** What the service takes where none is chosen. */
const USUAL_COLOUR = '#1a5f9e';

interface Typed {
  readonly logo: string | null;
  readonly logo_alt: string;
  /** Empty: the usual one. */
  readonly colour: string;
  /** Empty: the usual one. */
  readonly signature: string;
}

const typedOf = ({ logo, logo_alt, colour, signature }: Letterhead): Typed => ({
  logo,
  logo_alt: logo_alt ?? '',
  colour: colour ?? '',
  signature: signature ?? '',
});

/** Black or white, whichever can be read on it better (WCAG 2.2, relative luminance). */
const inkOn = (colour: string): string => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#000000' : '#ffffff';
};

const Preview = ({
  id,
  typed,
  name,
  values,
}: {
  readonly id: string;
  readonly typed: Typed;
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}) => {
  const w = translated(words);
  const colour = typed.colour || USUAL_COLOUR;
  const signature = filled(typed.signature || `${w.usualClosing}\n${name}`, values);
  return (
    <section aria-label={w.preview}>
      <h2>{w.preview}</h2>
      <div class="letter">
        {typed.logo === null ? (
          <p class="sender">{name}</p>
        ) : (
          <img src={imageAddress(id, typed.logo)} alt={typed.logo_alt} />
        )}
        <p>{w.sampleGreeting}</p>
        <p>{w.sampleText}</p>
        <p>
          <span class="letterbutton" style={{ background: colour, color: inkOn(colour) }}>
            {w.sampleButton}
          </span>
        </p>
        <p class="lines">{signature}</p>
      </div>
    </section>
  );
};

const Writing = ({
  id,
  present,
  onSaved,
}: {
  readonly id: string;
  readonly present: Letterhead;
  readonly onSaved: (saved: Letterhead) => void;
}) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields<Typed>(typedOf(present));
  const [isNew, setNew] = useState(0);
  const record = useAnswer('GET /api/practices/{id}', { id });
  const values = record.value ? practiceValues(record.value) : {};
  const save = useAction(async () => {
    const { logo, logo_alt, colour, signature } = fields;
    const body = {
      logo,
      logo_alt: logo_alt.trim(),
      colour: colour || null,
      signature: signature.trim() === '' ? null : signature,
    };
    onSaved(await call('PUT /api/practices/{id}/letterhead', { id, body }));
    toast(w.saved);
  });
  const upload = useAction(async (file: File) => {
    const { id: logo } = await uploadImage(id, file);
    setFields((before) => ({ ...before, logo, logo_alt: before.logo_alt || (practice.value?.name ?? '') }));
    setNew((before) => before + 1);
  });
  const isChanged = JSON.stringify(typedOf(present)) !== JSON.stringify(fields);
  return (
    <div class="writing">
      <Card>
        <Form
          action={save}
          submit={w.save}
          held={held(fields, setFields)}
          others={isChanged && <span class="quiet">{w.notSavedYet}</span>}
        >
          <Field label={w.logo} hint={w.logoHint} path="logo">
            {(wiring) => (
              <input
                key={isNew}
                {...wiring}
                type="file"
                accept="image/*"
                disabled={upload.isRunning}
                onChange={({ currentTarget: { files } }) => files?.[0] && void upload.run(files[0])}
              />
            )}
          </Field>
          <ErrorNote error={upload.error} />
          {fields.logo !== null && (
            <>
              <TextField
                label={w.logoAlt}
                hint={w.logoAltHint}
                required
                maxLength={200}
                {...field('logo_alt')}
              />
              <p class="field">
                <Button
                  kind="small"
                  text={w.removeLogo}
                  onClick={() => setFields((before) => ({ ...before, logo: null, logo_alt: '' }))}
                />
              </p>
            </>
          )}
          <Field label={w.colour} hint={w.colourHint} path="colour">
            {(wiring) => (
              <input
                {...wiring}
                type="color"
                value={fields.colour || USUAL_COLOUR}
                onInput={(event) => field('colour').onValue(event.currentTarget.value)}
              />
            )}
          </Field>
          {fields.colour !== '' && (
            <p class="field">
              <Button kind="small" text={w.usualColour} onClick={() => field('colour').onValue('')} />
            </p>
          )}
          <TextArea label={w.signature} hint={w.signatureHint} optional rows={5} {...field('signature')} />
        </Form>
      </Card>
      <Preview
        id={id}
        typed={fields}
        name={record.value?.name ?? practice.value?.name ?? ''}
        values={values}
      />
    </div>
  );
};

const LetterheadPage = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const data = useAnswer('GET /api/practices/{id}/letterhead', { id });
  return (
    <>
      <Head title={w.pages.letterhead} intro={w.intro} />
      <Loaded data={data} lines={8}>
        {(present) => <Writing id={id} present={present} onSaved={data.replace} />}
      </Loaded>
    </>
  );
};

export default LetterheadPage;
