// What setup says at its end: what is to be entered elsewhere, where the operator signs in, and what comes next. Pure.
import { zoneFile } from '#src/domains/zones/resource-record.ts';
import { hasOwnCertificates, MASTER_KEY_FILE } from './configuration.ts';
import { delegationRecords, reverseNames } from './delegation.ts';
import { NGINX_FILE } from './proxy.ts';
import type { Answers } from './questions.ts';

const indented = (lines: Iterable<string>): string => [...lines].map((line) => `  ${line}`).join('');

/** A file that a DNS provider imports into the zone above. */
export const delegationFile = (answers: Answers): string =>
  `; To be put into the zone above ${answers.host} and ${answers.managed_suffix}.\n${[...zoneFile(delegationRecords(answers))].join('')}`;

const toEnter = (answers: Answers): string =>
  answers.dns === 'builtin'
    ? `Delegate both zones to this machine, where the zone above them is kept:\n\n${indented(zoneFile(delegationRecords(answers)))}`
    : `Put the zones ${answers.host} and ${answers.managed_suffix} into your name server, and do so again by a timer, because practices\nand keys change them: \`sendwerk dns zone\` prints them.\n`;

const toReverse = (answers: Answers): string =>
  indented(reverseNames(answers).map(([address, name]) => `${address} -> ${name}\n`));

const toEncrypt = (answers: Answers): string => {
  const { proxy, host } = answers;
  if (proxy === 'nginx')
    return `\nnginx has its site in ${NGINX_FILE}. Get a certificate for ${host}, then link the site into sites-enabled and reload nginx.\n`;
  if (proxy === 'caddy') return '';
  return hasOwnCertificates(answers)
    ? `\nThe certificate for HTTPS and mail comes by itself, within minutes after the names lead here.\n`
    : `\nNothing serves HTTPS yet, because nobody agreed to the terms of an authority: docs/operate/tls.md has the ways.\n`;
};

/** `isStarted`: the service runs. `link`: where people sign in. */
export const whatIsLeft = (answers: Answers, link: string, isStarted: boolean): string => `
${toEnter(answers)}
Let whoever gave the machine its addresses set their reverse names (PTR):

${toReverse(answers)}${toEncrypt(answers)}
Copy ${MASTER_KEY_FILE} to a place apart from the backups: without it no backup can be read.
${isStarted ? '' : '\nNothing was started, because systemd does not run here. To run the service in the foreground: sendwerk serve\n'}
\`sendwerk doctor\` says what is still missing, \`sendwerk dns check\` whether the names have arrived.
Then sign in as ${answers.operator}, by a code that is mailed to you. \`sendwerk admin sign-in-link --email ${answers.operator}\`
prints a link that needs no mail and is valid for ten minutes.

  ${link}
`;
