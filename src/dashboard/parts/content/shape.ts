// The content of a mail as the dashboard holds it while it is written.
import type { WrittenDocument } from '#dashboard/parts/document-field.tsx';

export interface Content {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Text and HTML are made of it; null: they are source. */
  readonly document: WrittenDocument | null;
  /** The HTML is made of it. */
  readonly mjml: string | null;
}

export type Values = Readonly<Record<string, string>>;

export interface FieldsProps {
  readonly content: Content;
  readonly onContent: (content: Content) => void;
  readonly values: Values;
  readonly onValues: (values: Values) => void;
  /** What the practice has said about itself. */
  readonly known: Values;
  /** The values are sent: they are not for tests only. */
  readonly areForAll?: boolean;
  /** Names of further placeholders that are offered. */
  readonly offered?: readonly string[];
  /** What the API refused it with. */
  readonly error: unknown;
}
