// The parts of a message that a mail program submitted (RFC 2045, RFC 2046), as the row of its body keeps them: the tree, and
// what the header of each part says. Text and HTML are composed for each copy, files are rows of their own, and what is signed
// (RFC 1847) leaves octet for octet.

interface Head {
  /** The value of Content-Type, encoded and folded; of a multipart without its boundary. */
  readonly type: string;
  /** Further Content-* fields, each with its CRLF. */
  readonly fields: string;
}

export interface SubmittedMultipart extends Head {
  readonly parts: readonly SubmittedPart[];
}

export interface SubmittedText extends Head {
  readonly form: 'text' | 'html';
  /** Null: it is the message's text or HTML as a whole. */
  readonly content: string | null;
  /** Whether it ends what is said in that form, so that the footer follows. */
  readonly isLast: boolean;
}

export interface SubmittedFile extends Head {
  /** The position of the attachment. */
  readonly file: number;
}

export interface SignedParts extends Head {
  /** The octets from the first delimiter to the last: printable ASCII in lines that end in CRLF. */
  readonly signed: string;
}

export type SubmittedPart = SubmittedMultipart | SubmittedText | SubmittedFile | SignedParts;

/** The message's text as a part. */
export const wholeText: SubmittedText = {
  type: 'text/plain; charset=utf-8',
  fields: '',
  form: 'text',
  content: null,
  isLast: true,
};

export const hasSignedParts = (part: SubmittedPart): boolean =>
  'signed' in part || ('parts' in part && part.parts.some(hasSignedParts));
