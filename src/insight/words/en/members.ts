import type { Words } from '../de/members.ts';

const legalNames: Readonly<Record<string, string>> = {
  street: 'street',
  city: 'city',
  privacy_url: 'privacy URL',
};

export const words: Words = {
  goLive: {
    legal: {
      title: 'Legal block',
      hint: ({ missing }) =>
        `Missing: ${missing.map((name) => legalNames[name] ?? name).join(', ')}. Set it with PATCH /api/practices/{id}/compliance.`,
    },
    sending_domain: {
      title: 'Sending domain',
      hint: ({ pendingDomain }) =>
        `${pendingDomain} has not been verified. Publish its DKIM records and check DNS, or restore the managed domain.`,
    },
    dns_records: {
      title: 'DNS records',
      hint: ({ host, failing }) =>
        failing !== null
          ? `These records are not right: ${failing}. Correct them and check DNS.`
          : `The records of ${host} have not been checked within 48 hours. Check DNS.`,
    },
    public_origin: {
      title: 'Public origin',
      hint: ({ publicOrigin }) =>
        `Links to unsubscribe and to confirm begin with ${publicOrigin}. The operator must set service.public_origin to an https address that everyone can reach.`,
    },
    upstream: {
      title: 'Upstream',
      hint: () => 'Mail is only kept, not delivered. The operator must configure an upstream that delivers.',
    },
    owner: {
      title: 'Owner',
      hint: () => 'There is no active owner. The operator can name one.',
    },
    test_message: {
      title: 'Test message',
      hint: () =>
        'None of the newest mails has left by an upstream that delivers. Send one to an address that safe mode allows.',
    },
    approval: {
      title: 'Approval',
      hint: ({ isHeld }) =>
        isHeld
          ? 'The operator has switched safe mode on and has to approve the practice. Ask for it.'
          : 'On the plan Test the operator has to approve the practice. Ask for it.',
    },
    dmarc_policy: {
      title: 'DMARC policy',
      hint: () =>
        'With p=quarantine or p=reject, mail that others forge in your name goes to spam or is refused.',
    },
    bimi: {
      title: 'Logo (BIMI)',
      hint: () =>
        'A BIMI record shows your logo beside the mail once DMARC is enforced. Some providers ask for a certificate.',
    },
    inbound: {
      title: 'Receiving',
      hint: ({ host }) => `With an MX at in.${host} you can receive replies here.`,
    },
    second_owner: {
      title: 'Second owner',
      hint: () => 'A second owner helps when the first is away.',
    },
  },
  onboarding: {
    practice: { title: 'Create the practice', hint: 'It exists and has a managed host to send from.' },
    legal: { title: 'Fill in the legal block', hint: 'Street, city and the address of your privacy notice.' },
    domain: { title: 'Attach your own domain', hint: 'Without one you send from the managed host.' },
    dns: {
      title: 'Publish the DNS records',
      hint: "Enter the records at your domain's provider, then check them.",
    },
    token: { title: 'Create an API token', hint: 'Your software sends with it. It is shown only once.' },
    test_message: {
      title: 'Send a test message',
      hint: 'In safe mode to an address that the operator has allowed.',
    },
    team: { title: 'Invite your team', hint: 'Preferably with a second owner.' },
    go_live: { title: 'Go live', hint: 'Ends safe mode once the checklist is complete.' },
  },
};
