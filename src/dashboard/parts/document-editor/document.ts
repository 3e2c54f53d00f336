// A document as the API takes it and gives it, in the shape in which the editor's library has its nodes. The daemon judges it when it
// is stored; here are the names that the dashboard needs.

export type Align = 'start' | 'center' | 'end';

export interface WrittenNode {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly content?: readonly WrittenNode[];
  readonly text?: string;
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> }[];
}

export interface WrittenDocument {
  readonly version: 1;
  readonly direction?: 'ltr' | 'rtl';
  readonly content: readonly WrittenNode[];
}

/** What the service has stored of an image. */
export interface StoredImage {
  readonly id: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** A placeholder that is offered, with the words that people have for it. */
export interface KnownPlaceholder {
  readonly name: string;
  readonly label: string;
}

/** What a link may lead to: a place of the web, an address, a number, or a placeholder that stands for one. */
export const LINK = /^(?:https?:\/\/|mailto:|tel:|\{\{\s*[A-Za-z_][\w.]*\s*\}\})/i;
