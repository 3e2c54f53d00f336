// A file that cannot be read.
import { type Reason, reasonText } from './reasons.ts';

export class UnreadableFile extends Error {
  readonly reason: Reason;
  constructor(reason: Reason) {
    super(reasonText(reason, 'en'));
    this.name = 'UnreadableFile';
    this.reason = reason;
  }
}
