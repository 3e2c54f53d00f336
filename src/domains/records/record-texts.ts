// The texts and targets that the operator's zones hold and that tenants publish: written here once, so that what is
// asked for, what is served and what is checked are the same. Pure.

/** What lists the addresses that mail leaves from. */
export const spfTarget = (serviceHost: string): string => `spf.${serviceHost}`;

/** RFC 7208. `~all`: receivers that refuse on `-all` would never look at the DKIM signature. */
export const spfText = (serviceHost: string): string => `v=spf1 include:${spfTarget(serviceHost)} ~all`;

export const dmarcReports = (serviceHost: string): string => `mailto:dmarc@${serviceHost}`;

/** RFC 9989. Relaxed: the return path is `bounce.<host>`, which strict SPF alignment never matches. */
export const dmarcText = (serviceHost: string): string =>
  `v=DMARC1; p=none; adkim=r; aspf=r; rua=${dmarcReports(serviceHost)}`;

/** RFC 8460 §3. */
export const tlsReportText = (serviceHost: string): string => `v=TLSRPTv1; rua=mailto:tls-rpt@${serviceHost}`;

/** Where the key record of a token stands (RFC 6376 §3.6.2.1). */
export const dkimTarget = (token: string, serviceHost: string): string => `${token}.dkim.${serviceHost}`;

/** Where the id of the MTA-STS policy stands (RFC 8461 §3.1). */
export const mtaStsTarget = (serviceHost: string): string => `_mta-sts.${serviceHost}`;

/** The web server that has the policy (RFC 8461 §3.3). */
export const mtaStsPolicyTarget = (serviceHost: string): string => `mta-sts.${serviceHost}`;
