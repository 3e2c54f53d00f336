// A page of the reference as a value. HTML and Markdown are two writers of it.
import type { Samples } from './samples.ts';

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Prose. */
  readonly text: string;
  /** The fields of what it holds. */
  readonly fields: readonly Field[];
}

export interface IndexEntry {
  readonly id: string;
  readonly href: string;
  readonly title: string;
  /** Prose. */
  readonly text: string;
}

/** Prose is plain text with code in backticks and links as `[text](/address)`. */
export type Block =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** Rows of two columns, as terms with what they mean; prose. */
  | {
      readonly kind: 'terms';
      readonly caption: string;
      readonly rows: readonly (readonly [string, string])[];
    }
  | { readonly kind: 'fields'; readonly caption: string; readonly fields: readonly Field[] }
  | { readonly kind: 'code'; readonly caption: string; readonly language: string; readonly text: string }
  | {
      readonly kind: 'samples';
      readonly caption: string;
      readonly samples: Samples;
    }
  /** Entries with an anchor each that lead on to where the thing is. */
  | { readonly kind: 'index'; readonly entries: readonly IndexEntry[] }
  /** Folded until a reader wants it. */
  | { readonly kind: 'folded'; readonly summary: string; readonly blocks: readonly Block[] };

export interface Section {
  /** The anchor. */
  readonly id: string;
  readonly title: string;
  /** A call: its title is what it does. */
  readonly call?: { readonly method: string; readonly path: string; readonly isDeprecated: boolean };
  readonly blocks: readonly Block[];
  /** Beside the blocks on a wide screen. */
  readonly aside: readonly Block[];
}

export interface Page {
  /** In the address; the first page has the address without a name. */
  readonly name: string;
  readonly title: string;
  /** One line. */
  readonly summary: string;
  readonly blocks: readonly Block[];
  readonly sections: readonly Section[];
}

/** A page in the navigation. */
export interface PageLink {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
}

export const START = 'start';
export const addressOf = (name: string): string => (name === START ? '/reference' : `/reference/${name}`);
