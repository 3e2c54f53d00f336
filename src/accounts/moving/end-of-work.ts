// Waits until nothing of a tenant is being sent or worked on any more.
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { sleep } from '#src/kernel/time.ts';

const LOOK_MS = 20;

/** `endWork`: of a tenant whose work is held, whether all of it has ended. Rejects with `conflict` after `patience` ms. */
export const endOfWork = async (
  endWork: (tenantId: string) => boolean,
  id: string,
  patience: number,
): Promise<void> => {
  const until = performance.now() + patience;
  while (!endWork(id)) {
    if (performance.now() > until)
      throw new AppError(
        'conflict',
        say`Mail of the practice is still on its way to a relay that does not answer.`,
        {
          hint: say`Nothing has changed. Try again, or pause the practice and wait for its attempts to end.`,
        },
      );
    await sleep(LOOK_MS);
  }
};
