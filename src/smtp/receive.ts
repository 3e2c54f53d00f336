// The content of a message as it is received: it takes room in the budget before it is read, a large one for all of it, in
// the order in which they come, and gives it back when it has been dealt with. What comes slowly is no progress of its connection.
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import { readData } from './read-data.ts';
import type { SmtpContent, SmtpSession } from './strict-server.ts';

export interface ReceivingOptions {
  readonly budget: ByteBudget;
  /** Whose share of the budget holds a message. */
  readonly budgetOwner: (session: SmtpSession) => string;
  readonly messageBytes: number;
  /** See StrictServer. */
  readonly setActive: (id: string, at: number) => void;
  readonly dismiss: (id: string, code: number, text: string) => void;
  /** Whether content with a NUL goes on to `data`. */
  readonly takesNul: (session: SmtpSession) => boolean;
  /** Deals with the whole content; resolves with the reply. */
  readonly data: (content: Buffer, session: SmtpSession) => Promise<string>;
}

/** Up to this size, memory for a message of unknown size is taken as its content comes. */
const LARGE_FROM_BYTES = 1_048_576;
/** Content that arrives more slowly is no progress: it would keep a place with a byte a minute. */
const PROGRESS_BYTES = 16_384;

/** RFC 1870 §6.1; the library has refused what is over the limit. */
export const sizeIn = (args: unknown): number => {
  const size = typeof args === 'object' && args !== null && 'SIZE' in args ? Number(args.SIZE) : 0;
  return Number.isSafeInteger(size) ? size : 0;
};
const declaredSize = ({ envelope: { mailFrom } }: SmtpSession): number =>
  mailFrom === false ? 0 : sizeIn(mailFrom.args);

export const createReceiving = (options: ReceivingOptions) => {
  const { budget, budgetOwner, messageBytes, setActive, dismiss, takesNul, data } = options;
  const progress = ({ id }: SmtpSession): void => setActive(id, performance.now());
  const ignore = (): void => undefined;
  const never = new AbortController().signal;

  /** Checked before the content is sent; by the time it is sent, others may have taken the room. */
  const hasRoomFor = async (bytes: number, session: SmtpSession): Promise<boolean> => {
    const owner = budgetOwner(session);
    const isTaken =
      bytes > LARGE_FROM_BYTES
        ? await budget.reserve(owner, bytes, never, ignore)
        : budget.take(owner, bytes);
    if (isTaken) budget.release(owner, bytes);
    return isTaken;
  };

  const receive = async (stream: SmtpContent, session: SmtpSession): Promise<string> => {
    const owner = budgetOwner(session);
    /** Made where something waits: each that is aborted costs as much as storing a row. */
    let gone: AbortController | null = null;
    stream.once('close', () => gone?.abort());
    let held = 0;
    let came = 0;
    let endWatch = ignore;
    const watch = (): void => {
      const giveWay = () => dismiss(session.id, 421, '4.4.2 the message comes too slowly');
      endWatch = budget.watch(owner, () => came, giveWay);
    };
    /** While a large message waits for room, nothing of it is read. */
    const makeRoom = async (bytes: number): Promise<boolean> => {
      const taken = (): void => {
        held += bytes;
      };
      if (came + bytes > LARGE_FROM_BYTES) {
        endWatch();
        setActive(session.id, Number.POSITIVE_INFINITY);
        gone ??= new AbortController();
        if (stream.closed) gone.abort();
        const isTaken = await budget.reserve(owner, bytes, gone.signal, taken);
        progress(session);
        if (isTaken) watch();
        return isTaken;
      }
      if (!budget.take(owner, bytes)) return false;
      taken();
      return true;
    };
    const hold = (bytes: number): boolean | Promise<boolean> => {
      if (Math.floor((came + bytes) / PROGRESS_BYTES) > Math.floor(came / PROGRESS_BYTES)) progress(session);
      came += bytes;
      if (came <= held) return true;
      // None of many messages that grow side by side would come to its end, so a large one takes all that it may still become.
      return makeRoom((came > LARGE_FROM_BYTES ? messageBytes : came) - held);
    };
    try {
      watch();
      // The declared size is taken at once, for the same reason.
      const declared = declaredSize(session);
      const hasRoom = await makeRoom(declared);
      const expected = hasRoom ? declared : 0;
      const holdIf = (bytes: number) => hasRoom && hold(bytes);
      const content = await readData(stream, expected, messageBytes, holdIf, takesNul(session));
      endWatch();
      setActive(session.id, Number.POSITIVE_INFINITY);
      return await data(content, session);
    } finally {
      endWatch();
      budget.release(owner, held);
      progress(session);
    }
  };

  return { hasRoomFor, receive };
};
