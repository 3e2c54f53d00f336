// Reads and writes the tag lists of DKIM keys, DMARC, BIMI and TLS reporting: `v=DKIM1; k=rsa; p=…` (RFC 6376 §3.2). Pure.

export interface Tag {
  /** The name as written, because tags are case-sensitive. */
  readonly name: string;
  /** The value without white space around it. */
  readonly value: string;
}

export interface TagList {
  readonly tags: readonly Tag[];
  /** The value of the first tag with that name. */
  get(name: string): string | undefined;
  /** Malformed and repeated tags; each makes the whole list invalid. */
  readonly problems: readonly TagProblem[];
}

export interface TagProblem {
  readonly kind: 'malformed' | 'duplicate';
  /** The text between two semicolons. */
  readonly text: string;
}

const TAG = /^([A-Za-z]\w*)[ \t\r\n]*=([\s\S]*)$/;

export const parseTagList = (text: string): TagList => {
  const tags: Tag[] = [];
  const problems: TagProblem[] = [];
  const first = new Map<string, string>();
  for (const piece of text.split(';').map((part) => part.trim())) {
    if (piece === '') continue;
    const [, name = '', rest = ''] = TAG.exec(piece) ?? [];
    if (name === '') problems.push({ kind: 'malformed', text: piece });
    else if (first.has(name)) problems.push({ kind: 'duplicate', text: piece });
    else {
      const value = rest.trim();
      first.set(name, value);
      tags.push({ name, value });
    }
  }
  return { tags, problems, get: (name) => first.get(name) };
};

export const writeTagList = (tags: readonly Tag[]): string =>
  tags.map(({ name, value }) => `${name}=${value}`).join('; ');
