// Signing in to a playground's dashboard. The codes are mails as all others, and so are captured: they are read here, and
// printed as links.
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import { MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import type { Api } from './api.ts';

const FIRST_POLL_MS = 50;
const FIRST_TIMEOUT_MS = 10 * SECOND;
const POLL_MS = SECOND;
/** Who asks again within this time gets no new mail (`NEW_CODE_AFTER_MS`). */
const SAME_CODE_MS = MINUTE;

interface CapturedMail {
  readonly id: string;
  readonly recipient: string;
  readonly captured_at: string;
}

interface SignIn {
  readonly recipient: string;
  readonly link: string;
}

/** Codes that were captured more than a minute before are not looked at. */
export const createSignIns = async (api: Api, adminToken: string, origin: string) => {
  const system = '/api/admin/practices?purpose=system';
  const { data: practices } = await api<{ data: readonly { id: string }[] }>('GET', system, { adminToken });
  const captures = `/api/practices/${practices[0]?.id}/captures`;
  const from = Date.now() - SAME_CODE_MS;
  const seen = new Set<string>();

  const look = async (): Promise<readonly SignIn[]> => {
    const { data } = await api<{ data: readonly CapturedMail[] }>('GET', captures, { adminToken });
    const fresh = data.filter((mail) => !seen.has(mail.id) && Date.parse(mail.captured_at) >= from);
    const found: SignIn[] = [];
    for (const { id, recipient } of fresh.reverse()) {
      seen.add(id);
      const source = await api<string>('GET', `${captures}/${id}`, { adminToken });
      const code = /^\s*(\d{6})\s*$/m.exec(source)?.[1];
      if (code === undefined) continue;
      const fragment = new URLSearchParams({ email: recipient, code });
      found.push({ recipient, link: dashboardLink(origin, `app/sign-in#${fragment}`) });
    }
    return found;
  };

  return {
    /** Asks for a code, and resolves with the link that it makes. */
    linkFor: async (email: string): Promise<string> => {
      await api('POST', '/api/auth/request-otp', { body: { email } });
      for (
        const deadline = Date.now() + FIRST_TIMEOUT_MS;
        Date.now() < deadline;
        await sleep(FIRST_POLL_MS)
      ) {
        const link = (await look()).findLast(({ recipient }) => recipient === email)?.link;
        if (link !== undefined) return link;
      }
      throw new Error(`the code for ${email} was not captured within ${FIRST_TIMEOUT_MS / SECOND} s`);
    },
    /** Reports each later code until it is ended. */
    watch: async (tell: (signIn: SignIn) => void, ended: () => boolean): Promise<void> => {
      for (; !ended(); await sleep(POLL_MS)) for (const signIn of await look()) tell(signIn);
    },
  };
};
