// MJML to HTML, by mrml: WebAssembly that is loaded when it is used first, and then renders within a transaction. It reads no file
// and asks no server: includes are not allowed.
import type { Engine } from 'mrml';

export interface Rendered {
  readonly html: string | null;
  /** Why there is none, in the library's words. */
  readonly problem: string | null;
}

export type RenderMjml = (mjml: string) => Rendered;

/** MJML writes these attributes, which HTML does not know. What people have typed has no bare quotes. */
const UNKNOWN_ATTRIBUTES = / vertical-align="(?:top|middle|bottom)"| height="auto"/g;

const rendererOf = (engine: Engine): RenderMjml => {
  return (mjml) => {
    const made = engine.toHtml(mjml);
    return made.type === 'success'
      ? { html: made.content.replace(UNKNOWN_ATTRIBUTES, ''), problem: null }
      : { html: null, problem: made.message };
  };
};

let loaded: Promise<RenderMjml> | undefined;

/** The same one each time. */
export const loadRenderer = (): Promise<RenderMjml> => {
  loaded ??= import('mrml').then(({ Engine: Made }) => rendererOf(new Made()));
  return loaded;
};
