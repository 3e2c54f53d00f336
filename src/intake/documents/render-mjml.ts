// MJML to HTML, by mrml: WebAssembly, loaded when it is used first. Includes are refused, so nothing is read or asked for. What makes it
// panic, or nests too deeply for its stack, leaves an instance behind that fails at everything: it is loaded anew then.
import { createRequire } from 'node:module';
import type { Engine } from 'mrml';

export interface Rendered {
  readonly html: string | null;
  /** Why there is none, in the library's words. */
  readonly problem: string | null;
}

export type RenderMjml = (mjml: string) => Rendered;

/** A tenth of what its stack takes. People nest ten. */
const MAX_DEPTH = 100;
/** MJML writes these attributes, which HTML does not know. What people have typed has no bare quotes. */
const UNKNOWN_ATTRIBUTES = / vertical-align="(?:top|middle|bottom)"| height="auto"/g;

const TAG = /<(\/?)([a-z][^\s/>]*)/giy;
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** The index behind the tag whose name ends at `from`. A `>` in quotes does not end it. */
const tagEnd = (mjml: string, from: number): number => {
  let quote = '';
  for (let at = from; at < mjml.length; at += 1) {
    const sign = mjml.charAt(at);
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '>') return at + 1;
  }
  return mjml.length;
};

const isTooDeep = (mjml: string): boolean => {
  let depth = 0;
  let at = mjml.indexOf('<');
  while (at >= 0) {
    TAG.lastIndex = at;
    const [, slash, name = ''] = TAG.exec(mjml) ?? [];
    if (slash === undefined) {
      at = mjml.indexOf(
        '<',
        mjml.startsWith('<!--', at) ? Math.max(mjml.indexOf('-->', at), at + 1) : at + 1,
      );
      continue;
    }
    const end = tagEnd(mjml, TAG.lastIndex);
    if (slash === '/') depth -= 1;
    else if (mjml[end - 2] !== '/' && !VOID.has(name.toLowerCase())) depth += 1;
    if (depth > MAX_DEPTH) return true;
    at = mjml.indexOf('<', end);
  }
  return false;
};

export const createRenderMjml = (): RenderMjml => {
  const require = createRequire(import.meta.url);
  let engine: Engine | null = null;

  const loaded = (): Engine => {
    if (engine !== null) return engine;
    const path = require.resolve('mrml');
    // Each evaluation of the module has a WebAssembly instance of its own.
    delete require.cache[path];
    const { Engine: Made } = require(path) as typeof import('mrml');
    engine = new Made();
    return engine;
  };

  return (mjml) => {
    if (isTooDeep(mjml)) return { html: null, problem: `nested in more than ${MAX_DEPTH} levels` };
    try {
      const made = loaded().toHtml(mjml);
      return made.type === 'success'
        ? { html: made.content.replace(UNKNOWN_ATTRIBUTES, ''), problem: null }
        : { html: null, problem: made.message };
    } catch (error) {
      if (!(error instanceof Error && error.name === 'RuntimeError')) throw error;
      engine = null;
      return { html: null, problem: 'an element is not closed, or there is text outside of mj-text' };
    }
  };
};
