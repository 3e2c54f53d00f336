// The content of a mail as it is written: its subject, and either a document or source (HTML, MJML, text). A document can become source,
// source does not become a document. What shows and edits it is in content/, a file of its own that is loaded when it is wanted.

import type { Content, FieldsProps, Values } from './content/shape.ts';
import type { WrittenDocument } from './document-field.tsx';
import { Skeleton } from './feedback.tsx';
import { useLoaded } from './on-demand.ts';
import { partWords } from './words.ts';

export type { Content, Values } from './content/shape.ts';

const orNull = (part: string): string | null => (part.trim() === '' ? null : part);

/** The content as the API takes it: an empty version is none. */
export const sentContent = ({ subject, text, html, document, mjml }: Content) => {
  if (document !== null) return { subject, document };
  const source = mjml === null ? { html: orNull(html) } : { mjml };
  return { subject, text: orNull(text), ...source, document: null };
};

interface StoredContent {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly document?: object | null;
  readonly mjml?: string | null;
}

export const contentOf = ({ subject, text, html, document, mjml }: StoredContent): Content => ({
  subject,
  text: text ?? '',
  html: html ?? '',
  // The API's own description of it is a union of all its blocks.
  document: (document ?? null) as WrittenDocument | null,
  mjml: mjml ?? null,
});

/** What people call its parts. */
export const contentNames = () => {
  const { subject, text, html, mjml, document, forAll } = partWords().content;
  return { subject, text, html, mjml, document, values: forAll };
};

/** A letter that begins with these paragraphs and ends with the signature; names in double braces are placeholders. */
export const documentOf = (paragraphs: readonly string[]): WrittenDocument => ({
  version: 1,
  content: [
    ...paragraphs.map((paragraph) => ({
      type: 'paragraph',
      content: paragraph
        .split(/(\{\{\w+\}\})/)
        .filter((part) => part !== '')
        .map((part) =>
          part.startsWith('{{')
            ? { type: 'placeholder', attrs: { name: part.slice(2, -2) } }
            : { type: 'text', text: part },
        ),
    })),
    { type: 'signature' },
  ],
});

interface PreviewProps {
  readonly content: Pick<Content, 'subject' | 'html' | 'text'>;
  readonly values?: Values;
}

const load = () => import('./content/parts.ts');

export const ContentFields = (props: FieldsProps) => {
  const parts = useLoaded(load, true);
  return parts ? <parts.Fields {...props} /> : <Skeleton lines={12} />;
};

export const ContentPreview = (props: PreviewProps) => {
  const parts = useLoaded(load, true);
  return parts ? <parts.Preview {...props} /> : <Skeleton lines={8} />;
};
