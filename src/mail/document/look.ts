// What is around a document, and what its parts look like: the letterhead with its colours, which the caller chooses so that they can
// be read, and where images are. Pure.

export interface Picture {
  readonly url: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Colours as in `#0b57d0`. */
export interface Accent {
  /** What is written in it can be read on the ground. */
  readonly text: string;
  /** The ground of buttons, and what is written on it. */
  readonly fill: string;
  readonly on: string;
}

export interface Look {
  /** BCP 47; null: unknown. */
  readonly language: string | null;
  /** The subject with its placeholders, which is the title; null: none. */
  readonly title: string | null;
  /** Null: the head is the name of the sender. */
  readonly logo: (Picture & { readonly alt: string }) | null;
  readonly light: Accent;
  readonly dark: Accent;
  /** Lines, with placeholders. */
  readonly signature: string;
  /** Null: there is no such image. */
  readonly imageOf: (id: string) => Picture | null;
}

/** Grounds of text. */
export const GROUND = { light: '#ffffff', dark: '#1e1e1e' } as const;

/** What stands for the sender where there is no logo. */
export const SENDER_NAME = '{{practice.name}}';

/** In HTML, where the footer of a copy goes. */
export const FOOT = '<!--place of the footer-->';
