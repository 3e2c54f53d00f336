// What `sendwerk setup` asks, in its order: the words of each question, which are those of its option as well. The command line reads
// this at each start, so nothing is imported here.

export const asked = {
  domain: { value: 'NAME', about: 'your domain; the other names are proposed from it' },
  host: { value: 'NAME', about: 'host of the service: its dashboard, and where mail comes in' },
  managed_suffix: {
    value: 'NAME',
    about: 'zone of the hosts that practices send from until they bring a domain of their own',
  },
  dns: {
    value: 'builtin|own',
    about: 'who answers for these two zones: the name server of this service, or one of your own',
  },
  nameserver: { value: 'NAME', about: 'name of the name server' },
  addresses: { value: 'IP,IP', about: 'public IP addresses of this machine, with commas between them' },
  relay_host: { value: 'NAME|IP', about: 'SMTP relay that delivers the mail' },
  relay_port: { value: 'PORT', about: 'port of the relay' },
  relay_tls: {
    value: 'required|implicit|opportunistic|none',
    about: 'how the connection to the relay is encrypted',
  },
  relay_user: {
    value: 'NAME',
    about: 'user name at the relay; none where it takes mail of this machine without signing in',
  },
  relay_spf: {
    value: 'NAME|IP,…',
    about:
      "the SPF domain that the relay's provider names, or the addresses that mail leaves from; none for those of this machine",
  },
  delivered_on: {
    value: 'dsn|accept',
    about: "what says that mail was delivered: the relay's delivery notices, or that the relay has taken it",
  },
  operator: {
    value: 'ADDRESS',
    about: 'your e-mail address: you sign in by it, and get the warnings of the service',
  },
  proxy: {
    value: 'none|caddy|nginx',
    about: 'proxy in front for HTTPS; none where the service has ports 80 and 443 itself',
  },
  agree_to_terms: {
    value: 'yes|no',
    about:
      "whether you agree to the terms of Let's Encrypt (https://letsencrypt.org/repository/), which gives the certificates for HTTPS and mail",
  },
  smtp_listen: { value: 'HOST:PORT', about: 'where mail, bounces and reports come in' },
  dns_listen: { value: 'HOST:PORT', about: 'where the name server of the service listens' },
} as const;

export type Key = keyof typeof asked;
export const keys = Object.keys(asked) as Key[];

/** The name on the command line. */
export const optionOf = (key: Key): string => key.replaceAll('_', '-');

export const askedOptions: Readonly<Record<string, { readonly value: string; readonly about: string }>> =
  Object.fromEntries(keys.map((key) => [optionOf(key), asked[key]]));

/** Whether it matters beside the other answers. */
export const applies = (key: Key, { dns, proxy }: Partial<Record<Key, string>>): boolean => {
  if (key === 'dns_listen' || key === 'nameserver') return dns !== 'own';
  // Behind a proxy the authority checks names by the built-in name server, or the service gets no certificates.
  return key !== 'agree_to_terms' || proxy === 'none' || dns !== 'own';
};
