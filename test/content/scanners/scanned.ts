// Content for scanners, and a guard.

import { createGuard, type Guard } from '#src/content/scanners/guard.ts';
import type { ScannedContent } from '#src/content/scanners/rspamd.ts';
import { createLog } from '#src/kernel/log.ts';
import { createTestClock } from '#test/support/storage.ts';

export const scanned = (
  fields: Partial<ScannedContent> & { readonly body?: string } = {},
): ScannedContent => {
  const { body = 'Guten Tag,\r\n\r\nwir freuen uns auf Sie am Montag um 9:30 Uhr.', ...rest } = fields;
  return {
    subject: 'Ihr Termin',
    text: body,
    html: null,
    attachments: [],
    sender: 'praxis@send.example.com',
    recipients: ['erika@example.org'],
    tenantId: '0190a0b0-0000-7000-8000-000000000000',
    composed: () =>
      Buffer.from(
        [
          'From: Praxis am Markt <praxis@send.example.com>',
          'To: Erika <erika@example.org>',
          'Subject: Ihr Termin',
          'Message-ID: <preview@send.example.com>',
          `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
          'MIME-Version: 1.0',
          'Content-Type: text/plain; charset=utf-8',
          '',
          body,
          '',
        ].join('\r\n'),
      ),
    ...rest,
  };
};

export const testGuard = (options: { readonly timeout?: number; readonly places?: number } = {}): Guard =>
  createGuard({
    name: 'scanner',
    places: options.places ?? 4,
    timeout: options.timeout ?? 60_000,
    clock: createTestClock(),
    log: createLog('silent'),
  });
