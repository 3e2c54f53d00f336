// A file that cannot be read.
import { answerDefault } from '#src/kernel/language.ts';
import { type Reason, reasonText } from './reasons.ts';

export class UnreadableFile extends Error {
  readonly reason: Reason;
  constructor(reason: Reason) {
    super(reasonText(reason, answerDefault));
    this.name = 'UnreadableFile';
    this.reason = reason;
  }
}
