// Colour and logo of the pages on which people subscribe and unsubscribe.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageSettings, Practice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Button, Card } from '#dashboard/parts/basics.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Field, Form } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const USUAL_COLOUR = '#0b5f6b';
const LOGO_HEIGHT = 64;

/** Drawn, for the policy of the dashboard allows images from files of the service only. */
const Logo = ({
  logo,
  name,
}: {
  readonly logo: NonNullable<PageSettings['logo']>;
  readonly name: string;
}) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const bytes = Uint8Array.from(atob(logo.content), (character) => character.charCodeAt(0));
    createImageBitmap(new Blob([bytes], { type: logo.content_type })).then(
      (image) => {
        const element = canvas.current;
        if (!element) return;
        element.height = LOGO_HEIGHT;
        element.width = Math.round((image.width / image.height) * LOGO_HEIGHT);
        element.getContext('2d')?.drawImage(image, 0, 0, element.width, element.height);
      },
      () => {},
    );
  }, [logo.content]);
  return <canvas ref={canvas} role="img" aria-label={name} />;
};

const readFile = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
};

const LookForm = ({
  of,
  present,
  onSaved,
}: {
  readonly of: Practice;
  readonly present: PageSettings;
  readonly onSaved: (settings: PageSettings) => void;
}) => {
  const w = translated(words);
  const { id } = of;
  const [colour, setColour] = useState(present.colour ?? USUAL_COLOUR);
  useLayoutEffect(() => setColour(present.colour ?? USUAL_COLOUR), [present]);
  const change = async (body: { colour?: string | null; logo?: string | null }): Promise<void> => {
    const names = { colour: w.colour, logo: w.logo };
    const over = { record: present, names, take: onSaved };
    onSaved(await call('PATCH /api/practices/{id}/pages', { id, body }, { over }));
    toast(w.saved);
  };
  const save = useAction(() => change({ colour }));
  const usual = useAction(() => change({ colour: null }));
  const upload = useAction(async (file: File) => change({ logo: await readFile(file) }));
  const remove = useAction(() => change({ logo: null }));
  return (
    <div class="columns">
      <Form
        action={save}
        submit={w.save}
        others={present.colour && <Button text={w.usualColour} onClick={() => void usual.run()} />}
      >
        <Field label={w.colour} path="colour" hint={w.colourHint}>
          {(wiring) => (
            <input
              {...wiring}
              type="color"
              value={colour}
              onInput={(event) => setColour(event.currentTarget.value)}
            />
          )}
        </Field>
        <ErrorNote error={usual.error} />
      </Form>
      <div>
        <Field label={w.logo} hint={w.logoHint}>
          {(wiring) => (
            <input
              {...wiring}
              type="file"
              accept="image/png,image/jpeg,image/webp,image/gif"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? [];
                if (file) void upload.run(file);
              }}
            />
          )}
        </Field>
        <ErrorNote error={upload.error ?? remove.error} />
        {present.logo && (
          <div class="stack">
            <Logo logo={present.logo} name={w.logoOf(of.name)} />
            <div>
              <Button text={w.removeLogo} kind="small" onClick={() => void remove.run()} />
            </div>
          </div>
        )}
      </div>
    </div>
  );
};

export const Look = ({ of }: { readonly of: Practice }) => {
  const w = translated(words);
  const data = useAnswer('GET /api/practices/{id}/pages', { id: of.id });
  return (
    <Card title={w.publicPages}>
      <p class="quiet">{w.lookText}</p>
      <Loaded data={data} lines={3}>
        {(present) => <LookForm of={of} present={present} onSaved={data.replace} />}
      </Loaded>
    </Card>
  );
};
