// The header fields by which relays take orders: recipients, lists, tracking, sender, time, queue. A sender who set one would pass
// by the gates, so none leaves. A name that ends in `*` is the beginning of names. Pure.

const orders: Readonly<Record<string, string>> = {
  'Azure Communication Services': 'X-MS-ACSEmail-*',
  Brevo: 'X-Mailin-* X-Sib-* X-Brevo-*',
  'Campaign Monitor': 'X-CMail-*',
  'Elastic Email': 'X-ElasticEmail-*',
  // X-Failed-Recipients is what Exim writes into bounces, and what other programs read in them.
  Exim: 'X-Failed-Recipients',
  Exchange: 'X-MS-Exchange-*',
  GreenArrow: 'X-GreenArrow-*',
  Haraka: 'X-VMTA',
  KumoMTA: 'X-Tenant X-Schedule X-KumoRef',
  Lettermint: 'X-LM-* X-Lettermint-*',
  Mailgun: 'X-Mailgun-*',
  Mailjet: 'X-MJ-* X-Mailjet-*',
  MailerSend: 'X-MailerSend-*',
  Mailtrap: 'X-MT-*',
  Mandrill: 'X-MC-*',
  Netcore: 'X-APIHeader',
  Postal: 'X-Postal-*',
  Postmark: 'X-PM-*',
  PowerMTA: 'X-Virtual-MTA X-Job X-Envid X-DKIM-Options',
  SendGrid: 'X-SMTPAPI X-SG-*',
  SES: 'X-SES-*',
  SMTP2GO: 'X-SMTP2GO-* X-SMTPCorp-*',
  SMTPeter: 'X-SMTPeter-*',
  SocketLabs: 'X-xsMailingId X-xsMessageId',
  SparkPost: 'X-MSYS-*',
  Tipimail: 'X-TM-*',
  ZoneMTA: 'X-Sending-Zone',
};

/** Of relays that are known, in lower case. */
export const KNOWN_CONTROLS: readonly string[] = Object.values(orders).flatMap((names) =>
  names.toLowerCase().split(' '),
);

type Upstreams = readonly { readonly kind: string; readonly control_headers?: readonly string[] }[];

const controlsByUpstreams = new WeakMap<Upstreams, readonly string[]>();

/** With those that the configuration names for the relays in use. */
export const controlsOf = (upstreams: Upstreams): readonly string[] => {
  const known = controlsByUpstreams.get(upstreams);
  if (known) return known;
  const named = upstreams.flatMap(({ control_headers = [] }) => control_headers);
  const controls = [...KNOWN_CONTROLS, ...named.map((name) => name.toLowerCase())];
  controlsByUpstreams.set(upstreams, controls);
  return controls;
};

export const isControl = (name: string, controls: readonly string[]): boolean => {
  const lower = name.toLowerCase();
  return controls.some((control) =>
    control.endsWith('*') ? lower.startsWith(control.slice(0, -1)) : lower === control,
  );
};
