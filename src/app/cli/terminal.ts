// The process, as commands see it.
import type { Environment } from '#src/kernel/config/secrets.ts';
import type { ProcessSignals } from './serve.ts';

/** What of the process the commands use. */
export interface Terminal {
  readonly environment: Environment;
  readonly signals: ProcessSignals;
  readonly print: (text: string) => void;
  /** Prints as fast as the reader takes it; the rest is not made where the reader has gone. */
  readonly printAll: (pieces: Iterable<string>) => Promise<void>;
  readonly printError: (text: string) => void;
  /** Whether a person sees at once what `printError` prints. */
  readonly isTerminal: boolean;
  /** Where a person types, for commands that ask; `isTTY` says that someone does. */
  readonly input?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
}
