// The one error type of the service; its codes are in error-table.ts. Every server translates from here:
// HTTP to `{code, error, hint, ...}`, SMTP to a reply line, the command line to an exit. Unknown errors become
// `internal_error`: the public text never shows internals, the log line found by the request id does.
import type { z } from 'zod';
import { errorTable, type FieldProblem, type SaidProblem } from './error-table.ts';
import { inEnglish, isText, type Speak, type Text } from './say.ts';

export type ErrorCode = keyof typeof errorTable;

type WithTexts<E> = {
  [K in keyof E]: K extends 'fields' ? readonly FieldProblem[] : string extends E[K] ? E[K] | Text : E[K];
};

type ExtraOf<C extends ErrorCode> = (typeof errorTable)[C] extends { extra: infer S extends z.ZodRawShape }
  ? { extra: WithTexts<z.infer<z.ZodObject<S>>> }
  : { extra?: never };

type Details<C extends ErrorCode> = ExtraOf<C> & { hint?: Text; cause?: unknown };

/** The public form of an error: `{code, error, hint, ...extra}`. */
export interface PublicError {
  readonly code: ErrorCode;
  readonly error: string;
  readonly hint: string;
  readonly fields?: readonly SaidProblem[];
}

/** An error that its receiver may read: `text` and `hintText` are public, `cause` goes to the log only. */
export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly text: Text;
  readonly hintText: Text;
  /** The values as they were thrown: those that people read are texts. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The same values in English. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    code: C,
    text: Text,
    ...[details]: ExtraOf<C> extends { extra: unknown } ? [Details<C>] : [Details<C>?]
  ) {
    super(inEnglish(text), { cause: details?.cause });
    this.name = 'AppError';
    this.code = code;
    this.text = text;
    this.hintText = details?.hint ?? errorTable[code].hint;
    this.given = details?.extra ?? {};
    this.extra = this.#extraBy(inEnglish);
  }

  /** What is wrong with the fields of the request, where the code tells that. */
  get fields(): readonly FieldProblem[] | undefined {
    return this.given.fields as readonly FieldProblem[] | undefined;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  get hint(): string {
    return inEnglish(this.hintText);
  }

  /** In that language if its catalogue has all of it, otherwise in English: no answer mixes both. */
  speakOf(asked: Speak): Speak {
    const fields = (this.fields ?? []).map(({ message }) => message);
    const texts = [this.text, this.hintText, ...fields, ...Object.values(this.given).filter(isText)];
    return texts.every(asked.knows) ? asked : inEnglish;
  }

  saidBy(asked: Speak): PublicError {
    const { code, text, hintText } = this;
    const speak = this.speakOf(asked);
    return { code, error: speak(text), hint: speak(hintText), ...this.#extraBy(speak) };
  }

  #extraBy(speak: Speak): Readonly<Record<string, unknown>> {
    const said = Object.entries(this.given).map(([name, value]) => [
      name,
      isText(value) ? speak(value) : value,
    ]);
    const fields = this.fields?.map(({ path, message }) => ({ path, message: speak(message) }));
    return { ...Object.fromEntries(said), ...(fields === undefined ? {} : { fields }) };
  }

  /** The error as it is published, in English. */
  toJSON(): PublicError {
    return this.saidBy(inEnglish);
  }
}
