// The signing threads that all installations of a test process share, because starting one costs more than most tests. They end with
// the process.
import { createSignThreads, type SignThreads } from '#src/messages/compose/sign-thread.ts';

let shared: SignThreads | undefined;

export const sharedSignThreads = (): SignThreads => {
  shared ??= createSignThreads({
    error: (...said: unknown[]) => {
      throw new Error('a signing thread has ended', { cause: said });
    },
  });
  return shared;
};
