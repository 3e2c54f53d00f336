// What looks at content besides the built-in rules: the section `scanners`.
import { z } from 'zod';
import { durationBetween } from '#src/kernel/expected.ts';
import { MINUTE } from '#src/kernel/time.ts';
import * as v from './values.ts';

const answerTime = durationBetween(100, MINUTE);
const atOnce = v.whole(1, 100);

export const scanners = z.strictObject({
  rspamd: z
    .strictObject({
      url: v.httpUrl
        .meta({ example: 'http://127.0.0.1:11333' })
        .describe(
          'Address of its normal worker. Messages come with the settings id `outbound`: in its settings, disable there what only makes sense for mail that comes in (SPF, DKIM, DMARC, lists of addresses, greylisting, rate limits).',
        ),
      timeout: answerTime.prefault('5s').describe('How long it may take for a message.'),
      concurrency: atOnce.prefault(8).describe('Messages it gets at a time.'),
    })
    .optional()
    .describe('Spam scanner; off where absent.'),
  clamd: z
    .strictObject({
      address: v.socketAddress
        .meta({ example: '127.0.0.1:3310' })
        .describe(
          'Its TCP socket as host:port, or the absolute path of its unix socket. Its StreamMaxLength must not be less than 10M, the largest attachment.',
        ),
      timeout: answerTime.prefault('10s').describe('How long it may take for an attachment.'),
      concurrency: atOnce.prefault(8).describe('Attachments it gets at a time.'),
    })
    .optional()
    .describe('Virus scanner; off where absent.'),
  link_blocklist_file: v.filePath
    .meta({ example: 'config/link-blocklist.txt' })
    .optional()
    .describe(
      'Hosts that no link may point to, one a line, each with all below it; `#` begins a comment. At most 10 MB; read again when it has changed.',
    ),
  dnsbl: z
    .array(v.hostName)
    .max(8)
    .meta({ example: 'dbl.spamhaus.org' })
    .prefault([])
    .describe(
      'DNS block lists (zones) that hosts of links are looked up in. dbl.spamhaus.org, multi.surbl.org and multi.uribl.com are understood by their codes; of any other list every answer blocks. They learn the names, refuse public resolvers, and have licences.',
    ),
  dnsbl_timeout: answerTime.prefault('2s').describe('How long a list may take for a message.'),
  on_failure: z
    .enum(['pass', 'refuse'])
    .prefault('pass')
    .describe(
      'What becomes of a message that a scanner has not looked at because it does not answer: it passes with a warning, or is refused for now (503).',
    ),
});
