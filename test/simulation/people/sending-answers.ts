// What an answer to a send means, and writing it into the book. An answer that the state of the practice or of the disk explains is
// taken as it is; any other is a broken truth.
import { Cut, type Practice, type Reply, type Scene } from '../scene.ts';
import { epochOf } from './running-memory.ts';
import { memoryOf, remember, type Sent } from './sending-memory.ts';

/** What others do to the practice meanwhile explains these refusals: a token is gone, it is paused or moves, its domain changes. */
const explained: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'tenant_paused',
  'plan_cap_reached',
  'rate_limited',
  'unavailable',
  'idempotency_in_progress',
  'dkim_not_verified',
  'from_not_allowed',
  'impressum_incomplete',
  'warmup_not_ready',
  'warmup_cap_reached',
  'safe_mode_recipient',
]);

const short = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

export const unexpected = (what: string, { status, text }: Reply): Error =>
  new Error(`${what} was answered ${status}: ${short(text)}`);

/** Throws where the refusal is neither explained nor among `codes`. Refusals in the forms of other services have no code of ours. */
export const mayRefuse = (what: string, reply: Reply, codes: readonly string[] = []): void => {
  const { code } = Object(reply.body);
  if (typeof code === 'string' ? explained.has(code) || codes.includes(code) : isForeignRefusal(reply))
    return;
  throw unexpected(what, reply);
};

/** In those forms what is wrong with a request is 400, or 422 with the number 300 or the name `validation_error` of a field. */
const isForeignRefusal = ({ status, body }: Reply): boolean => {
  if (status === 401 || status === 403 || status === 404 || status === 409 || status === 429) return true;
  if (status === 503) return true;
  return (
    status === 422 &&
    /paused|erased|suppress|warm-up|used up|archived|may not send from|token is unknown/i.test(
      JSON.stringify(body),
    )
  );
};

/** Accepted; refused, so that nothing is kept that leaves; or it may be in the file though the answer says that it failed. */
export type Fate = { readonly id: string | null } | 'refused' | 'unknown';

/** One request, and the messages that it asks for. */
export interface Sending {
  readonly practice: Practice;
  readonly door: string;
  /** The recipients of each message, in the order of the request. */
  readonly messages: readonly (readonly string[])[];
  /** The first tag of each message. */
  readonly tags: readonly (string | null)[];
  readonly ask: () => Promise<Reply>;
  /** One for each message. Throws where the answer is one that nothing explains. */
  readonly fatesOf: (reply: Reply) => readonly Fate[];
}

/** Of a request that is accepted or refused as a whole. */
export const wholeFate = (
  reply: Reply,
  what: string,
  accepted: () => Fate,
  codes: readonly string[] = [],
): Fate => {
  if (reply.status === 503) return 'unknown';
  if (reply.status === 200 || reply.status === 202 || reply.status === 250) return accepted();
  mayRefuse(what, reply, codes);
  return 'refused';
};

/** Of one among several, each of which is answered for itself. */
export const itemFate = (item: Readonly<Record<string, unknown>>, what: string): Fate => {
  if (typeof item.id === 'string') return { id: item.id };
  if (item.status_code === 503) return 'unknown';
  if (typeof item.code === 'string' && explained.has(item.code)) return 'refused';
  throw new Error(`${what} was answered ${JSON.stringify(item)}`);
};

/**
 * Asks for it, and writes into the book what came of it before anyone else has a turn. Rejects with Cut where no answer came; then it
 * is written as unknown. `known` has the ids that were written before, as the same request was answered.
 */
export const submit = async (
  scene: Scene,
  { practice, door, messages, tags, ask, fatesOf }: Sending,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly Fate[]> => {
  const { book } = scene;
  const unknown = (recipients: readonly string[]): void => book.unknown({ practice, door, recipients });
  let fates: readonly Fate[];
  try {
    fates = fatesOf(await ask());
  } catch (error) {
    if (error instanceof Cut) for (const recipients of messages) unknown(recipients);
    throw error;
  }
  if (fates.length !== messages.length)
    throw new Error(`${door} answered for ${fates.length} of ${messages.length}`);
  for (const [index, recipients] of messages.entries()) {
    const fate = fates[index] as Fate;
    if (fate === 'unknown') unknown(recipients);
    if (typeof fate === 'string' || (fate.id === null ? known.size > 0 : known.has(fate.id))) continue;
    book.accepted({ practice, door, id: fate.id, recipients });
    if (fate.id !== null)
      rememberSent(scene, { practice, door, id: fate.id, recipients, tag: tags[index] ?? null });
  }
  return fates;
};

export const sentNow = (scene: Scene, one: Omit<Sent, 'rank' | 'epoch'>): Sent => ({
  ...one,
  epoch: epochOf(scene, one.practice),
  rank: -1,
});

export const rememberSent = (scene: Scene, one: Parameters<typeof sentNow>[1]): Sent =>
  remember(memoryOf(scene).sent, sentNow(scene, one));

export const idsOf = (fates: readonly Fate[]): readonly string[] =>
  fates.flatMap((fate) => (typeof fate === 'object' && fate.id !== null ? [fate.id] : []));
