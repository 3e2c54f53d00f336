// What the editor asks: where a link leads, what is on a button, what an image shows, how a placeholder is named.
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '#dashboard/data.ts';
import { Button } from '#dashboard/parts/basics.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { ErrorNote } from '#dashboard/parts/feedback.tsx';
import { CheckField, Field, Form, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { PLACEHOLDER } from '#dashboard/parts/placeholders.ts';
import { LINK, type StoredImage } from './document.ts';
import type { words as german } from './words/de.ts';

interface AskProps {
  readonly words: typeof german;
  readonly onClose: () => void;
}

/** `praxis.example` and `anna@example.org` become what a browser follows; undefined where it is nothing of the kind. */
export const completeHref = (typed: string): string | undefined => {
  const href = typed.trim();
  if (/\s/.test(href.replace(new RegExp(PLACEHOLDER, 'g'), ''))) return undefined;
  if (LINK.test(href)) return href;
  if (/^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/.test(href)) return `mailto:${href}`;
  return /^[^\s/:@]+\.[^\s/:@]{2,}(?:[/?#].*)?$/.test(href) ? `https://${href}` : undefined;
};

const TextProblem = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );

interface LinkValue {
  readonly href: string;
  readonly text: string;
}

/** `asksText`: what is linked is typed too, because nothing is selected. */
export const LinkDialog = ({
  words: w,
  onClose,
  kind,
  href,
  text,
  asksText,
  onDone,
  onRemove,
}: AskProps &
  LinkValue & {
    readonly kind: 'link' | 'button';
    readonly asksText: boolean;
    readonly onDone: (value: LinkValue) => void;
    readonly onRemove?: () => void;
  }) => {
  const { fields, field } = useFields<LinkValue>({ href, text });
  const [problem, setProblem] = useState<string>();
  const done = useAction(async () => {
    const complete = completeHref(fields.href);
    if (complete === undefined) setProblem(w.linkWrong);
    else onDone({ href: complete, text: fields.text.trim() || complete });
  });
  return (
    <Dialog isOpen title={kind === 'link' ? w.linkTitle : w.buttonTitle} onClose={onClose}>
      <Form
        action={done}
        submit={w.linkPut}
        isGuarded={false}
        others={onRemove && <Button text={w.linkRemove} onClick={onRemove} />}
      >
        {asksText && (
          <TextField
            label={kind === 'link' ? w.linkText : w.buttonText}
            required
            maxLength={200}
            {...field('text')}
          />
        )}
        <TextField label={w.linkTo} hint={w.linkHint} required maxLength={2000} {...field('href')} />
        <TextProblem text={problem} />
      </Form>
    </Dialog>
  );
};

export const PlaceholderDialog = ({
  words: w,
  onClose,
  onDone,
}: AskProps & { readonly onDone: (name: string) => void }) => {
  const { fields, field } = useFields({ name: '' });
  const [problem, setProblem] = useState<string>();
  const done = useAction(async () => {
    const name = fields.name.replace(/[{}\s]/g, '');
    if (new RegExp(`^${PLACEHOLDER.source}$`).test(`{{${name}}}`)) onDone(name);
    else setProblem(w.placeholderWrong);
  });
  return (
    <Dialog isOpen title={w.placeholderTitle} onClose={onClose}>
      <Form action={done} submit={w.placeholderPut} isGuarded={false}>
        <TextField
          label={w.placeholderName}
          hint={w.placeholderHint}
          required
          maxLength={100}
          {...field('name')}
        />
        <TextProblem text={problem} />
      </Form>
    </Dialog>
  );
};

export interface ImageValue {
  readonly image: string;
  readonly alt: string;
  readonly decorative: boolean;
  readonly width: number;
  readonly href: string | null;
}

export const ImageDialog = ({
  words: w,
  onClose,
  file,
  present,
  upload,
  imageUrl,
  onDone,
}: AskProps & {
  /** One that was dropped or pasted. */
  readonly file?: File;
  /** The one that is changed. */
  readonly present?: ImageValue;
  readonly upload: (file: File) => Promise<StoredImage>;
  readonly imageUrl: (id: string) => string;
  readonly onDone: (value: ImageValue) => void;
}) => {
  const [image, setImage] = useState(present?.image);
  const { fields, field } = useFields({
    alt: present?.alt ?? '',
    decorative: present?.decorative ?? false,
    width: String(present?.width ?? 100),
    href: present?.href ?? '',
  });
  const [problem, setProblem] = useState<string>();
  const store = useAction(async (chosen: File) => setImage((await upload(chosen)).id));
  useEffect(() => {
    if (file) void store.run(file);
  }, [file]);
  const done = useAction(async () => {
    const href = fields.href.trim() === '' ? null : completeHref(fields.href);
    if (image === undefined || href === undefined) return setProblem(w.linkWrong);
    const { decorative } = fields;
    onDone({
      image,
      alt: decorative ? '' : fields.alt.trim(),
      decorative,
      width: Number(fields.width),
      href,
    });
  });
  const { smallest, small, half, large, full } = w.widths;
  const usual = { 25: smallest, 33: small, 50: half, 75: large, 100: full };
  const widths: Readonly<Record<string, string>> = Object.hasOwn(usual, fields.width)
    ? usual
    : { ...usual, [fields.width]: `${fields.width} %` };
  return (
    <Dialog isOpen title={w.imageTitle} onClose={onClose}>
      {image === undefined ? (
        <form>
          <Field label={w.imageFile} hint={w.imageFileHint}>
            {(wiring) => (
              <input
                {...wiring}
                type="file"
                accept="image/*"
                disabled={store.isRunning}
                onChange={({ currentTarget: { files } }) => files?.[0] && void store.run(files[0])}
              />
            )}
          </Field>
          <p role="status">{store.isRunning && w.imageLoading}</p>
          <ErrorNote error={store.error} />
        </form>
      ) : (
        <Form action={done} submit={present ? w.imageChange : w.imagePut} isGuarded={false}>
          <p class="chosenimage">
            <img src={imageUrl(image)} alt="" />
          </p>
          {!fields.decorative && (
            <TextField label={w.alt} hint={w.altHint} required maxLength={500} {...field('alt')} />
          )}
          <CheckField label={w.decorative} hint={w.decorativeHint} {...field('decorative')} />
          <div class="columns">
            <SelectField label={w.width} options={widths} {...field('width')} />
            <TextField label={w.imageLink} optional maxLength={2000} {...field('href')} />
          </div>
          <TextProblem text={problem} />
        </Form>
      )}
    </Dialog>
  );
};
