// A mail that is being written as its recipient will see it: at a computer, on a phone, dark, without its images, and as text.
import { useEffect, useState } from 'preact/hooks';
import { Button } from '#dashboard/parts/basics.tsx';
import { hasStoredImages, withStoredImages } from '#dashboard/parts/made-content.ts';
import { DraftFrame } from '#dashboard/parts/mail-frame.tsx';
import { asHtml, filled } from '#dashboard/parts/placeholders.ts';
import { practice } from '#dashboard/session.ts';
import { contentWords } from './words.ts';

/** One of a few, as buttons. */
export const Choice = <T extends string>({
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
type View = 'desktop' | 'phone' | 'dark' | 'imagesOff' | 'textOnly';

/** What the mail says for light and dark screens is decided here: browsers would go by the screen of who writes. */
const inScheme = (html: string, scheme: 'light' | 'dark'): string =>
  `<style>:root{color-scheme:${scheme}}</style>${html.replace(
    /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi,
    (_, wanted: string) => (wanted.toLowerCase() === scheme ? '(min-width: 0)' : '(max-width: 0)'),
  )}`;

/** An image that cannot be loaded: mail programs show its alternative text in its place. */
const withoutImages = (html: string): string =>
  html.replace(/(<img\b[^>]*?\ssrc\s*=\s*)(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, '$1"data:,"');

const shownAs = (html: string, view: View): string =>
  inScheme(view === 'imagesOff' ? withoutImages(html) : html, view === 'dark' ? 'dark' : 'light');

export const Preview = ({
  content,
  values = {},
}: {
  readonly content: { readonly subject: string; readonly html: string; readonly text: string };
  readonly values?: Readonly<Record<string, string>>;
}) => {
  const w = contentWords();
  const [wanted, setWanted] = useState<View>('desktop');
  const id = practice.value?.id ?? '';
  const [withImages, setWithImages] = useState('');
  useEffect(() => {
    let isOld = false;
    void withStoredImages(id, content.html).then((found) => isOld || setWithImages(found));
    return () => {
      isOld = true;
    };
  }, [id, content.html]);
  // Without its images nothing is shown: the frame would ask their address for them.
  const html = hasStoredImages(content.html) ? withImages : content.html;
  const view = content.html === '' ? 'textOnly' : wanted;
  return (
    <section aria-label={w.preview} class="contentpreview">
      <div class="cardhead">
        <h2>{w.preview}</h2>
        {content.html !== '' && (
          <Choice
            label={w.preview}
            options={(['desktop', 'phone', 'dark', 'imagesOff', 'textOnly'] as const).map((one) => [
              one,
              w.views[one],
            ])}
            value={view}
            onValue={setWanted}
          />
        )}
      </div>
      <p class="subjectline">{filled(content.subject, values)}</p>
      {view === 'textOnly' ? (
        <pre class="draft">{filled(content.text, values) || w.nothing}</pre>
      ) : (
        <DraftFrame
          title={w.preview}
          html={shownAs(filled(html, values, asHtml), view)}
          width={view === 'phone' ? PHONE : undefined}
          isDark={view === 'dark'}
        />
      )}
    </section>
  );
};
