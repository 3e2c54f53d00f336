// Documents made into HTML and text without a daemon.
import { lookOf } from '#src/intake/documents/letterhead-look.ts';
import type { LetterheadRow } from '#src/intake/documents/letterhead-store.ts';
import { createRenderMjml } from '#src/intake/documents/render-mjml.ts';
import { mjmlOf } from '#src/mail/document/mjml.ts';
import { type Document, documentSchema } from '#src/mail/document/schema.ts';
import { textOf } from '#src/mail/document/text.ts';

export const render = createRenderMjml();
export const IMAGE = 'a'.repeat(64);
const picture = { url: `https://mail.example.com/i/${IMAGE}.png`, width: 1_200, height: 600 };
const plain: LetterheadRow = { logo: null, logo_alt: '', colour: null, signature: null };

/** `document` as a request brings it. */
export const makeDocument = (
  document: unknown,
  { subject = 'Betreff', ...letterhead }: Partial<LetterheadRow> & { readonly subject?: string } = {},
): { readonly html: string; readonly text: string; readonly document: Document } => {
  const parsed = documentSchema.parse(document);
  const look = lookOf(parsed, { letterhead: { ...plain, ...letterhead }, subject, imageOf: () => picture });
  const { html, problem } = render(mjmlOf(parsed, look));
  if (html === null) throw new Error(problem ?? 'no HTML');
  return { html, text: textOf(parsed, look), document: parsed };
};

export const text = (written: string, ...marks: readonly object[]) => ({
  type: 'text',
  text: written,
  ...(marks.length > 0 && { marks }),
});
export const paragraph = (...content: readonly object[]) => ({ type: 'paragraph', content });
export const documentOf = (...content: readonly object[]) => ({ version: 1, content });
