// One message on its way through the client: what is sent, how far it came, and the promise that waits for its transcript.
import type { Envelope, Phase, Transcript } from '#src/relay/upstream.ts';

export interface Transaction {
  readonly envelope: Envelope;
  readonly message: Buffer;
  /** What is being waited for. */
  phase: Phase;
  /** The transcript was given, although replies to commands already sent may still come. */
  settled: boolean;
  dsnRequested: boolean;
  recipientAccepted: boolean;
  /** The transaction was given back once by a connection that the server had closed. */
  retried: boolean;
  readonly resolve: (transcript: Transcript) => void;
}

export const createTransaction = (
  envelope: Envelope,
  message: Buffer,
  resolve: (transcript: Transcript) => void,
): Transaction => ({
  envelope,
  message,
  phase: 'connect',
  settled: false,
  dsnRequested: false,
  recipientAccepted: false,
  retried: false,
  resolve,
});

export const settle = (transaction: Transaction, transcript: Transcript): void => {
  if (transaction.settled) return;
  transaction.settled = true;
  transaction.resolve(transcript);
};
