// Whether HTML is well formed, as strictly as mail programs could ask for: every element is closed where it was opened, attributes are
// there once, and what Outlook reads in conditional comments fits into the rest.
import { Parser } from 'htmlparser2';

const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'o:allowpng']);

export interface SeenElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What is wrong, and the elements in their order. */
export const readForm = (html: string): { readonly faults: string[]; readonly elements: SeenElement[] } => {
  const faults: string[] = [];
  const elements: SeenElement[] = [];
  const open: string[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      elements.push({ name, attributes });
      if (!VOID.has(name)) open.push(name);
    },
    onclosetag: (name, isImplied) => {
      if (VOID.has(name)) return;
      if (open.pop() !== name) faults.push(`</${name}> closes something else`);
      if (isImplied && !/^o:/.test(name)) faults.push(`<${name}> is not closed`);
    },
    onerror: (error) => faults.push(String(error)),
  });
  parser.write(html);
  parser.end();
  for (const [tag] of html.replace(/="[^"]*"/g, '=').matchAll(/<[a-z][^>]*>/gi)) {
    const names = [...tag.matchAll(/\s([\w-]+)=/g)].map(([, name]) => name);
    if (new Set(names).size !== names.length) faults.push(`${tag} has an attribute twice`);
  }
  return { faults, elements };
};

/** What Outlook reads: the content of its conditional comments is markup. */
export const asOutlook = (html: string): string =>
  html
    .replace(/<!--\[if !mso\]><!-->.*?<!--<!\[endif\]-->/gs, '')
    .replace(/<!--\[if (?:mso|lte mso)[^\]]*\]>|<!\[endif\]-->/g, '');
