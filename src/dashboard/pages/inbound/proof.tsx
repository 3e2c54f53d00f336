// Whether the sender of a mail is proven, and what the scanners found: in words first, the single checks below them.
import type { InboundMessage } from '#api';
import { Badge, Facts, type Tone } from '#dashboard/parts/basics.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type Verdict = InboundMessage['spam']['verdict'];
const spamTones: Readonly<Record<Verdict, Tone>> = {
  clean: 'good',
  spam: 'bad',
  virus: 'bad',
  not_scanned: 'plain',
};

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

type Proof = 'confirmed' | 'unconfirmed' | 'forged';
/** Proven by DMARC, or by SPF or DKIM of the very domain of From. */
const proofOf = ({ auth: { dmarc, dkim, spf }, from }: InboundMessage): Proof => {
  if (dmarc.result === 'pass') return 'confirmed';
  if (dmarc.result === 'fail') return 'forged';
  const domain = domainOf(from?.address ?? '');
  const isProven = [spf, ...dkim].some(
    (one) => one.result === 'pass' && one.domain?.toLowerCase() === domain,
  );
  return isProven ? 'confirmed' : 'unconfirmed';
};
const proofTones: Readonly<Record<Proof, Tone>> = { confirmed: 'good', unconfirmed: 'warn', forged: 'bad' };

const result = ({ result: said, domain }: { readonly result: string; readonly domain?: string | null }) =>
  domain ? `${said} (${domain})` : said;

/** No server has brought it, so there is nothing else to check. */
const FormProof = ({ name, proved }: NonNullable<InboundMessage['form']>) => {
  const w = translated(words);
  return (
    <p>
      <Badge tone={proved ? 'good' : 'warn'}>{w.byForm}</Badge>{' '}
      <span class="quiet">{proved ? w.byFormProved(name) : w.byFormUnproved(name)}</span>
    </p>
  );
};

export const Proofs = ({ mail }: { readonly mail: InboundMessage }) => {
  const w = translated(words);
  if (mail.form) return <FormProof {...mail.form} />;
  const { auth, spam } = mail;
  const proof = proofOf(mail);
  const domain = domainOf(mail.from?.address ?? mail.mail_from);
  const texts = {
    confirmed: w.confirmedText(domain),
    unconfirmed: w.unconfirmedText,
    forged: w.forgedText(domain),
  };
  return (
    <>
      <p>
        <Badge tone={proofTones[proof]}>{w[proof]}</Badge>{' '}
        <Badge tone={spamTones[spam.verdict]}>{w.verdicts[spam.verdict]}</Badge>{' '}
        <span class="quiet">{texts[proof]}</span>
      </p>
      <details>
        <summary>{w.checks}</summary>
        <Facts
          facts={[
            ['SPF', result(auth.spf)],
            ['DKIM', auth.dkim.map(result).join(', ') || 'none'],
            [
              'DMARC',
              auth.dmarc.policy ? `${result(auth.dmarc)}, p=${auth.dmarc.policy}` : result(auth.dmarc),
            ],
            ['ARC', auth.arc.result],
            ['Reverse DNS', result({ result: auth.iprev.result, domain: auth.iprev.name })],
            ['MAIL FROM', mail.mail_from || '<>'],
            ['Message-ID', mail.internet_message_id],
            [w.score, spam.score === null ? null : String(spam.score)],
            [w.rules, spam.reasons.join(', ')],
          ]}
        />
      </details>
    </>
  );
};
