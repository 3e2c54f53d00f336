// What programs written for Postmark rely on when they look up what became of their mail, shown with its published Node.js
// client, unmodified. Bounces come over SMTP to the return path, opens and clicks by the links in what arrived.
import { simpleParser } from 'mailparser';
import { Errors, Models, ServerClient } from 'postmark';
import { expect } from 'vitest';
import { HOUR, toIso } from '#src/kernel/time.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { bounceOf, bring, deliveryStatus, feedbackReport } from '#test/support/reports.ts';
import type { TestClock } from '#test/support/storage.ts';
import type { Behaviour } from './guide.ts';
import type { Scene } from './scene.ts';

export interface LookupScene extends Scene {
  readonly clock: TestClock;
  readonly client: ServerClient;
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';
const LINK = 'https://praxis.example/termin?day=1';
const PDF = Buffer.from(contentOf('pdf')).toString('base64');
const UNKNOWN_ID = '0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44';

export const clientOf = ({ authority }: Scene, token: string): ServerClient =>
  new ServerClient(token, { useHttps: false, requestHost: `${authority}/api/compat/vendor-b` });

let people = 0;
/** An address that no other row has written to. */
const someone = (): string => {
  people += 1;
  return `erika${people}@example.org`;
};

const failureOf = async (work: Promise<unknown>): Promise<Errors.PostmarkError> =>
  work.then(
    (answer) => expect.fail(`it was answered ${JSON.stringify(answer)}`),
    (error) => error,
  );

const eachFails = async (works: readonly Promise<unknown>[], how: object): Promise<void> => {
  for (const error of await Promise.all(works.map(failureOf))) expect(error).toMatchObject(how);
};

/** Sent, and taken by the relay. */
const send = async (
  { app, client, sender }: LookupScene,
  fields: Partial<Models.Message> & { readonly To: string },
): Promise<string> => {
  const { MessageID } = await client.sendEmail({
    From: `Praxis <${sender.practice.default_from}>`,
    Subject: 'Ihr Termin',
    TextBody: 'Am Montag um 9:30 Uhr.',
    ...fields,
  });
  await app.untilStatus(sender, MessageID, 'processed');
  return MessageID;
};

const mailTo = ({ receiver }: Scene, recipient: string) => {
  const mail = receiver.messages.findLast(({ recipients }) => recipients[0]?.address === recipient);
  if (!mail) throw new Error(`nothing arrived for ${recipient}`);
  return mail;
};

const report = async (scene: LookupScene, recipient: string, content: string): Promise<void> => {
  const reply = await bring(scene.app.inboundPort, mailTo(scene, recipient).mailFrom, content);
  expect(reply).toMatch(/^250/);
};

/** Sent, and come back for good; the message's id. */
const bounced = async (scene: LookupScene, To: string, fields: Partial<Models.Message> = {}) => {
  const id = await send(scene, { To, ...fields });
  await report(scene, To, bounceOf(To));
  await scene.app.untilStatus(scene.sender, id, 'hard_bounced');
  return id;
};

const bounceOfMessage = async ({ client }: LookupScene, messageID: string): Promise<Models.Bounce> => {
  const { Bounces } = await client.getBounces({ messageID });
  const [bounce] = Bounces;
  if (!bounce || Bounces.length > 1) throw new Error(`${Bounces.length} bounces of ${messageID}`);
  return bounce;
};

const complained = async (scene: LookupScene, To: string): Promise<string> => {
  const id = await send(scene, { To });
  await report(scene, To, feedbackReport('abuse', [`Original-Rcpt-To: ${To}`], [`To: ${To}`]));
  await scene.app.untilStatus(scene.sender, id, 'spam_complaint');
  return id;
};

const tracked = { HtmlBody: `<p><a href="${LINK}">Termin</a></p>`, TrackOpens: true };

/** Sent with tracking, opened once and the link followed once, an hour later. */
const read = async (scene: LookupScene, To: string, fields: Partial<Models.Message> = {}) => {
  const { app, clock, sender } = scene;
  const TrackLinks = Models.LinkTrackingOptions.HtmlOnly;
  const id = await send(scene, { To, ...tracked, TrackLinks, ...fields });
  const { html } = await simpleParser(mailTo(scene, To).content);
  const linkOf = (pattern: RegExp): string => {
    const url = pattern.exec(html || '')?.[1];
    if (url === undefined) throw new Error(`no ${pattern} in ${html}`);
    return new URL(url.replaceAll('&amp;', '&')).pathname;
  };
  clock.set(clock.now() + HOUR);
  const follow = (path: string) =>
    fetch(app.origin + path, { redirect: 'manual', headers: { 'user-agent': FIREFOX } });
  await follow(linkOf(/"([^"]*\/t\/o\/[^"]*)"/));
  await follow(linkOf(/"([^"]*\/t\/c\/[^"]*)"/));
  await app.untilStatus(sender, id, 'clicked');
  return id;
};

const suppressed = async ({ client }: LookupScene, address: string, stream = 'outbound') =>
  (await client.getSuppressions(stream, { emailAddress: address })).Suppressions;

export const lookupBehaviours: readonly Behaviour<LookupScene>[] = [
  {
    what: '`getServer()` shows which server a token is for',
    differs: 'the server is the practice; tokens are never shown again',
    run: async ({ client, sender }) => {
      expect(await client.getServer()).toMatchObject({
        Name: sender.practice.name,
        ApiTokens: [],
        DeliveryType: 'Live',
      });
    },
  },
  {
    what: 'A wrong token is an `InvalidAPIKeyError`, for look-ups too',
    run: async (scene) => {
      const error = await failureOf(clientOf(scene, 'svc_team_wrong').getServer());
      expect(error).toBeInstanceOf(Errors.InvalidAPIKeyError);
      expect(error).toMatchObject({ code: 10, statusCode: 401 });
    },
  },
  {
    what: '`getMessageStreams()` lists `outbound` and `broadcast`, and filters by type',
    differs: 'the streams are the routes; a route of your own is there by its slug',
    run: async ({ client }) => {
      const all = await client.getMessageStreams();
      expect(all.MessageStreams.map(({ ID }) => ID).sort()).toEqual(['broadcast', 'outbound']);
      const { MessageStreams, TotalCount } = await client.getMessageStreams({
        messageStreamType: 'Transactional',
      });
      expect(TotalCount).toBe(1);
      expect(MessageStreams).toMatchObject([{ ID: 'outbound', MessageStreamType: 'Transactional' }]);
    },
  },
  {
    what: '`getMessageStream()` shows one; an unknown one is error 1235',
    run: async ({ client }) => {
      expect(await client.getMessageStream('broadcast')).toMatchObject({
        ID: 'broadcast',
        MessageStreamType: 'Broadcasts',
      });
      expect(await failureOf(client.getMessageStream('nothing'))).toMatchObject({
        code: 1235,
        statusCode: 422,
      });
    },
  },
  {
    what: '`getOutboundMessages()` finds messages by recipient, with their fields as they were sent',
    run: async (scene) => {
      const To = someone();
      const id = await send(scene, {
        To: `"Beispiel, Erika" <${To}>`,
        Cc: 'ben@example.org',
        Tag: 'termin',
        Metadata: { patient: '17' },
        Attachments: [{ Name: 'a.pdf', Content: PDF, ContentType: 'application/pdf', ContentID: null }],
      });
      const { TotalCount, Messages } = await scene.client.getOutboundMessages({ recipient: To });
      expect(TotalCount).toBe(1);
      expect(Messages).toMatchObject([
        {
          MessageID: id,
          To: [{ Email: To, Name: 'Beispiel, Erika' }],
          Cc: [{ Email: 'ben@example.org', Name: null }],
          Bcc: [],
          Recipients: [To, 'ben@example.org'],
          From: `"Praxis" <${scene.sender.practice.default_from}>`,
          Subject: 'Ihr Termin',
          Tag: 'termin',
          Metadata: { patient: '17' },
          Attachments: ['a.pdf'],
          Status: 'Sent',
          MessageStream: 'outbound',
        },
      ]);
    },
  },
  {
    what: 'Messages are filtered by tag, subject, sender, status, stream, day and metadata, together',
    differs: 'days and times are in UTC unless they name an offset',
    run: async (scene) => {
      const { client, clock, sender } = scene;
      const Tag = `tag${clock.now()}`;
      const wanted = await send(scene, {
        To: someone(),
        Tag,
        Subject: 'Rechnung für März',
        Metadata: { nummer: '1' },
      });
      await send(scene, { To: someone(), Tag, Subject: 'Mahnung', Metadata: { nummer: '2' } });
      const idsBy = async (filter: object): Promise<string[]> =>
        (await client.getOutboundMessages({ tag: Tag, ...filter })).Messages.map(
          ({ MessageID }) => MessageID,
        );
      const today = toIso(clock.now()).slice(0, 10);
      expect(await idsBy({})).toHaveLength(2);
      expect(await idsBy({ subject: 'rechnung' })).toEqual([wanted]);
      expect(await idsBy({ metadata_nummer: '1' })).toEqual([wanted]);
      expect(await idsBy({ fromEmail: sender.practice.default_from })).toHaveLength(2);
      expect(await idsBy({ fromEmail: 'other@example.org' })).toEqual([]);
      expect(await idsBy({ status: Models.OutboundMessageStatus.Sent })).toHaveLength(2);
      expect(await idsBy({ status: Models.OutboundMessageStatus.Queued })).toEqual([]);
      expect(await idsBy({ messageStream: 'outbound' })).toHaveLength(2);
      expect(await idsBy({ messageStream: 'broadcast' })).toEqual([]);
      expect(await idsBy({ fromDate: today, toDate: today })).toHaveLength(2);
      expect(await idsBy({ toDate: '2020-01-01' })).toEqual([]);
      expect(await idsBy({ fromDate: toIso(clock.now() + HOUR).slice(0, 19) })).toEqual([]);
    },
  },
  {
    what: '`count` and `offset` walk through a list, newest first, and `TotalCount` says how many there are',
    run: async (scene) => {
      const tag = `seite${scene.clock.now()}`;
      const sent: string[] = [];
      for (const To of [someone(), someone(), someone()]) sent.unshift(await send(scene, { To, Tag: tag }));
      const pageAt = (offset: number) => scene.client.getOutboundMessages({ tag, count: 2, offset });
      const pages = [await pageAt(0), await pageAt(2)];
      expect(pages.map(({ TotalCount }) => TotalCount)).toEqual([3, 3]);
      expect(pages.flatMap(({ Messages }) => Messages.map(({ MessageID }) => MessageID))).toEqual(sent);
    },
  },
  {
    what: 'More than 500 at once, or beyond the first 10,000, is refused',
    run: async ({ client }) => {
      for (const filter of [{ count: 501 }, { count: 500, offset: 9_501 }]) {
        expect(await failureOf(client.getOutboundMessages(filter))).toMatchObject({
          code: 300,
          statusCode: 422,
        });
        expect(await failureOf(client.getBounces(filter))).toMatchObject({ code: 300, statusCode: 422 });
      }
    },
  },
  {
    what: '`getOutboundMessageDetails()` has the content and the events of a message',
    differs:
      '`Delivered` is there where a server or the relay reported it; that the relay took the message is no such event. `Body` is empty: the dump has the source',
    run: async (scene) => {
      const To = someone();
      const id = await read(scene, To);
      const details = await scene.client.getOutboundMessageDetails(id);
      expect(details).toMatchObject({
        MessageID: id,
        TextBody: 'Am Montag um 9:30 Uhr.',
        HtmlBody: tracked.HtmlBody,
        TrackOpens: true,
        TrackLinks: 'HtmlOnly',
      });
      expect(details.MessageEvents).toMatchObject([
        { Type: 'Opened', Recipient: To },
        { Type: 'LinkClicked', Recipient: To, Details: { Link: LINK, ClickLocation: 'HTML' } },
      ]);
    },
  },
  {
    what: '`getOutboundMessageDump()` has the source of a message',
    differs:
      'the copy of the first recipient, without its signature; an error once the content is no longer kept',
    run: async (scene) => {
      const To = someone();
      const id = await send(scene, { To, Subject: 'Grüße' });
      const { Body } = await scene.client.getOutboundMessageDump(id);
      const arrived = mailTo(scene, To).content.toString('latin1');
      expect(Body).toContain('Am Montag um 9:30 Uhr.');
      expect(arrived.endsWith(Body)).toBe(true);
    },
  },
  {
    what: 'An unknown message is error 701',
    differs: 'with status 404',
    run: async (scene) => {
      const { client } = scene;
      await eachFails(
        [
          client.getOutboundMessageDetails(UNKNOWN_ID),
          client.getOutboundMessageDetails('17'),
          client.getOutboundMessageDump(UNKNOWN_ID),
          client.getMessageOpensForSingleMessage(UNKNOWN_ID),
          client.getMessageClicksForSingleMessage(UNKNOWN_ID),
        ],
        { code: 701, statusCode: 404 },
      );
    },
  },
  {
    what: 'Content and source need the right to see content; a token without it still finds the message',
    differs: 'a token of a project has no right to see content, and sees its project alone',
    run: async (scene) => {
      const { app, sender } = scene;
      const id = await send(scene, { To: someone() });
      const { base, token } = sender;
      const { body } = await app.request<{ data: { id: string }[] }>(
        'GET',
        `${base}/projects`,
        undefined,
        token,
      );
      const own = await app.createToken(sender.practice.id, {
        scope: 'project',
        project_id: body.data[0]?.id,
      });
      const details = await clientOf(scene, own).getOutboundMessageDetails(id);
      expect(details).toMatchObject({ MessageID: id, TextBody: null, Body: '' });
      expect(await failureOf(clientOf(scene, own).getOutboundMessageDump(id))).toMatchObject({ code: 10 });
    },
  },
  {
    what: '`getMessageOpens()` and `getMessageOpensForSingleMessage()` list opens, with recipient and tag',
    differs: 'opens by machines are left out; program, place and reading time are not kept',
    run: async (scene) => {
      const To = someone();
      const id = await read(scene, To, { Tag: 'offen' });
      const open = {
        RecordType: 'Open',
        MessageID: id,
        Recipient: To,
        Tag: 'offen',
        UserAgent: FIREFOX,
        MessageStream: 'outbound',
      };
      expect(await scene.client.getMessageOpens({ recipient: To })).toMatchObject({
        TotalCount: 1,
        Opens: [open],
      });
      expect(await scene.client.getMessageOpensForSingleMessage(id)).toMatchObject({
        TotalCount: 1,
        Opens: [open],
      });
      expect(await scene.client.getMessageOpens({ tag: 'anders' })).toEqual({ TotalCount: 0, Opens: [] });
    },
  },
  {
    what: '`getMessageClicks()` and `getMessageClicksForSingleMessage()` list clicks with their links',
    differs: 'clicks by machines are left out; program and place are not kept',
    run: async (scene) => {
      const To = someone();
      const id = await read(scene, To);
      const click = { RecordType: 'Click', MessageID: id, Recipient: To, OriginalLink: LINK };
      const all = await scene.client.getMessageClicks({ recipient: To });
      expect(all).toMatchObject({ TotalCount: 1, Clicks: [click] });
      expect(await scene.client.getMessageClicksForSingleMessage(id)).toMatchObject({ Clicks: [click] });
    },
  },
  {
    what: 'Opens and clicks cannot be filtered by program or place, which are not kept',
    differs: 'such a filter is refused instead of finding too much',
    run: async ({ client }) => {
      const error = await failureOf(client.getMessageOpens({ country: 'DE' }));
      expect(error).toMatchObject({ code: 300, statusCode: 422 });
      expect(error.message).toContain('`country`: is not kept');
    },
  },
  {
    what: 'A message that comes back is a `HardBounce` of `getBounces()`, with the words of the other side',
    run: async (scene) => {
      const To = someone();
      const id = await bounced(scene, To, { Tag: 'zurueck' });
      expect(await bounceOfMessage(scene, id)).toMatchObject({
        RecordType: 'Bounce',
        Type: 'HardBounce',
        TypeCode: Models.BounceTypeCode.HardBounce,
        Name: 'Hard bounce',
        Tag: 'zurueck',
        MessageID: id,
        MessageStream: 'outbound',
        Email: To,
        Subject: 'Ihr Termin',
        Inactive: true,
        CanActivate: true,
        DumpAvailable: true,
        Details: '550 5.1.1 User unknown',
      });
    },
  },
  {
    what: 'Bounces are filtered by type, address, tag, stream, day and whether the address is inactive',
    run: async (scene) => {
      const { client, clock } = scene;
      const To = someone();
      const tag = `filter${clock.now()}`;
      const hard = await bounced(scene, To, { Tag: tag });
      const soft = await send(scene, { To: someone(), Tag: tag });
      const softTo = (await client.getOutboundMessageDetails(soft)).Recipients[0] ?? '';
      const full = ['Action: failed', 'Status: 5.2.2', 'Diagnostic-Code: smtp; 552 5.2.2 Mailbox full'];
      await report(scene, softTo, deliveryStatus(softTo, ...full));
      await scene.app.untilStatus(scene.sender, soft, 'soft_bounced');
      const idsBy = async (filter: Partial<Models.BounceFilteringParameters>): Promise<string[]> =>
        (await client.getBounces({ tag, ...filter })).Bounces.map(({ MessageID }) => MessageID);
      const today = toIso(clock.now()).slice(0, 10);
      expect(await idsBy({})).toEqual([soft, hard]);
      expect(await idsBy({ type: Models.BounceType.HardBounce })).toEqual([hard]);
      expect(await idsBy({ type: Models.BounceType.SoftBounce })).toEqual([soft]);
      expect(await idsBy({ emailFilter: To.slice(0, -4).toUpperCase() })).toEqual([hard]);
      expect(await idsBy({ inactive: true })).toEqual([hard]);
      expect(await idsBy({ inactive: false })).toEqual([soft]);
      expect(await idsBy({ inactive: 'True' as never, type: '' as never })).toEqual([hard]);
      expect(await idsBy({ type: Models.BounceType.BadEmailAddress })).toEqual([]);
      expect(await idsBy({ messageStream: 'broadcast' })).toEqual([]);
      expect(await idsBy({ fromDate: today, toDate: today })).toEqual([soft, hard]);
      expect(await idsBy({ toDate: '2020-01-01' })).toEqual([]);
    },
  },
  {
    what: '`getBounce()` and `getBounceDump()` show one by its number, which stays the same',
    differs: 'the dump is the reply of the other side; its report is not kept',
    run: async (scene) => {
      const bounce = await bounceOfMessage(scene, await bounced(scene, someone()));
      expect(await scene.client.getBounce(bounce.ID)).toEqual(bounce);
      expect(await scene.client.getBounceDump(bounce.ID)).toEqual({ Body: '550 5.1.1 User unknown' });
    },
  },
  {
    what: 'An unknown bounce is error 407',
    run: async ({ client }) => {
      await eachFails(
        [
          client.getBounce(Number.MAX_SAFE_INTEGER),
          client.getBounceDump(Number.MAX_SAFE_INTEGER),
          client.activateBounce(Number.MAX_SAFE_INTEGER),
          client.getBounce('keine' as never),
        ],
        { code: 407, statusCode: 422 },
      );
    },
  },
  {
    what: 'An inactive address is refused with error 406; `activateBounce()` lets mail go to it again',
    run: async (scene) => {
      const { client } = scene;
      const To = someone();
      const { ID } = await bounceOfMessage(scene, await bounced(scene, To));
      const error = await failureOf(send(scene, { To }));
      expect(error).toBeInstanceOf(Errors.InactiveRecipientsError);
      const { Message, Bounce } = await client.activateBounce(ID);
      expect([Message, Bounce.ID, Bounce.Inactive, Bounce.CanActivate]).toEqual(['OK', ID, false, false]);
      await send(scene, { To, Subject: 'Noch einmal' });
      expect((await simpleParser(mailTo(scene, To).content)).subject).toBe('Noch einmal');
      expect(await failureOf(client.activateBounce(ID))).toMatchObject({ code: 300, statusCode: 422 });
    },
  },
  {
    what: 'A spam complaint is a bounce too, and cannot be activated',
    run: async (scene) => {
      const To = someone();
      const bounce = await bounceOfMessage(scene, await complained(scene, To));
      expect(bounce).toMatchObject({
        Type: 'SpamComplaint',
        TypeCode: Models.BounceTypeCode.SpamComplaint,
        Inactive: true,
        CanActivate: false,
      });
      expect(await failureOf(scene.client.activateBounce(bounce.ID))).toMatchObject({ statusCode: 422 });
      expect(await suppressed(scene, To)).toMatchObject([{ SuppressionReason: 'SpamComplaint' }]);
    },
  },
  {
    what: '`getSuppressions()` lists who gets no mail of a stream, by reason, origin and address',
    differs: 'a bounce suppresses an address in all streams, so it is in the list of each',
    run: async (scene) => {
      const { client } = scene;
      const To = someone();
      await bounced(scene, To);
      const wanted = { EmailAddress: To, SuppressionReason: 'HardBounce', Origin: 'Recipient' };
      expect(await suppressed(scene, To)).toMatchObject([wanted]);
      expect(await suppressed(scene, To, 'broadcast')).toMatchObject([wanted]);
      const addressesBy = async (filter: object): Promise<string[]> =>
        (await client.getSuppressions('outbound', filter)).Suppressions.map(
          ({ EmailAddress }) => EmailAddress,
        );
      expect(await addressesBy({})).toContain(To);
      const { HardBounce, ManualSuppression } = Models.SuppressionReason;
      expect(await addressesBy({ suppressionReason: HardBounce })).toContain(To);
      expect(await addressesBy({ suppressionReason: ManualSuppression })).not.toContain(To);
      expect(await addressesBy({ origin: Models.SuppressionOrigin.Customer })).not.toContain(To);
      expect(await addressesBy({ toDate: '2020-01-01' })).toEqual([]);
    },
  },
  {
    what: '`createSuppressions()` and `deleteSuppressions()` change the list of a stream, each address answered by itself',
    run: async (scene) => {
      const { client } = scene;
      const To = someone();
      const Suppressions = [{ EmailAddress: To }, { EmailAddress: 'no address' }, { EmailAddress: '' }];
      expect(await client.createSuppressions('outbound', { Suppressions })).toMatchObject({
        Suppressions: [
          { EmailAddress: To, Status: 'Suppressed', Message: null },
          { EmailAddress: 'no address', Status: 'Failed' },
          { EmailAddress: '', Status: 'Failed' },
        ],
      });
      expect(await suppressed(scene, To)).toMatchObject([
        { SuppressionReason: 'ManualSuppression', Origin: 'Customer' },
      ]);
      expect(await suppressed(scene, To, 'broadcast')).toEqual([]);
      expect(await failureOf(send(scene, { To }))).toMatchObject({ code: 406 });
      expect(await client.deleteSuppressions('outbound', { Suppressions })).toMatchObject({
        Suppressions: [
          { EmailAddress: To, Status: 'Deleted', Message: null },
          { EmailAddress: 'no address', Status: 'Failed' },
          { EmailAddress: '', Status: 'Failed' },
        ],
      });
      await send(scene, { To });
    },
  },
  {
    what: 'A suppression by a complaint or an unsubscription is not deleted: its status is `Failed`',
    run: async (scene) => {
      const To = someone();
      await complained(scene, To);
      const answer = await scene.client.deleteSuppressions('outbound', {
        Suppressions: [{ EmailAddress: To }],
      });
      expect(answer.Suppressions).toMatchObject([{ EmailAddress: To, Status: 'Failed' }]);
      expect(await suppressed(scene, To)).toHaveLength(1);
    },
  },
  {
    what: 'At most 50 suppressions are taken at once, on a stream that exists',
    run: async ({ client }) => {
      const Suppressions = Array.from({ length: 51 }, () => ({ EmailAddress: someone() }));
      await eachFails(
        [
          client.createSuppressions('outbound', { Suppressions }),
          client.deleteSuppressions('outbound', { Suppressions }),
        ],
        { code: 300, statusCode: 422 },
      );
      await eachFails(
        [
          client.getSuppressions('nothing'),
          client.createSuppressions('nothing', { Suppressions: Suppressions.slice(1) }),
          client.deleteSuppressions('nothing', { Suppressions: Suppressions.slice(1) }),
        ],
        { code: 1235, statusCode: 422 },
      );
    },
  },
  {
    what: '`getDeliveryStatistics()` counts bounces by type, and inactive addresses',
    differs: 'soft bounces of all types are counted together, in UTC days',
    run: async (scene) => {
      await bounced(scene, someone());
      await bounced(scene, someone());
      await complained(scene, someone());
      const { InactiveMails, Bounces } = await scene.client.getDeliveryStatistics();
      expect(InactiveMails).toBe(3);
      expect(Bounces).toEqual([
        { Name: 'All', Count: 3 },
        { Type: 'HardBounce', Name: 'Hard bounce', Count: 2 },
        { Type: 'SoftBounce', Name: 'Soft bounce', Count: 0 },
        { Type: 'SpamComplaint', Name: 'Spam complaint', Count: 1 },
        { Type: 'Unsubscribe', Name: 'Unsubscribe request', Count: 0 },
      ]);
    },
  },
  {
    what: '`getOutboundOverview()` and the counts of sends, bounces, complaints, opens and clicks have days and sums',
    differs: 'opens and clicks are counted once a recipient; days are in UTC',
    run: async (scene) => {
      const { client, clock } = scene;
      const began = clock.now();
      await read(scene, someone());
      await bounced(scene, someone());
      expect(await client.getOutboundOverview()).toMatchObject({
        Sent: 2,
        Bounced: 1,
        BounceRate: 50,
        SpamComplaints: 0,
        UniqueOpens: 1,
        TotalClicks: 1,
      });
      const days = new Set([began, clock.now()].map((at) => toIso(at).slice(0, 10)));
      const fromDate = [...days][0] ?? '';
      const sent = await client.getSentCounts({ fromDate });
      expect(sent.Sent).toBe(2);
      expect(new Set(sent.Days.map((day) => day.Date))).toEqual(days);
      expect(await client.getSentCounts({ toDate: '2020-01-01' })).toEqual({ Days: [], Sent: 0 });
      expect(await client.getSentCounts({ messageStream: 'broadcast' })).toEqual({ Days: [], Sent: 0 });
      expect(await client.getBounceCounts()).toMatchObject({ HardBounce: 1, SoftBounce: 0 });
      expect(await client.getSpamComplaintsCounts()).toMatchObject({ SpamComplaint: 0 });
      expect(await client.getEmailOpenCounts()).toMatchObject({ Opens: 1, Unique: 1 });
      expect(await client.getClickCounts()).toMatchObject({ Clicks: 1, Unique: 1 });
    },
  },
  {
    what: 'Statistics by tag, program, platform or place do not exist here',
    differs: 'an error names what to use instead',
    run: async ({ client }) => {
      const byTag = await failureOf(client.getOutboundOverview({ tag: 'termin' }));
      expect(byTag).toMatchObject({ code: 300, statusCode: 422 });
      const failures = [
        client.getEmailOpenPlatformUsage(),
        client.getEmailOpenClientUsage(),
        client.getClickBrowserUsage(),
        client.getClickLocation(),
        client.getTrackedEmailCounts(),
      ];
      const message = expect.stringContaining('/api/practices/{id}/');
      await eachFails(failures, { statusCode: 404, message });
    },
  },
  {
    what: 'A token of one project finds nothing of another: lists are empty, ids and numbers unknown',
    differs: 'servers are projects of one practice; tokens for all of it see all of them',
    run: async (scene) => {
      const { app, sender } = scene;
      const bouncedId = await bounced(scene, someone());
      const readId = await read(scene, someone());
      const { ID } = await bounceOfMessage(scene, bouncedId);
      const project = await app.request<{ id: string }>(
        'POST',
        `${sender.base}/projects`,
        { name: 'Recall' },
        sender.token,
      );
      const fields = { scope: 'project', project_id: project.body.id };
      const other = clientOf(scene, await app.createToken(sender.practice.id, fields));
      const lists = await Promise.all([
        other.getOutboundMessages(),
        other.getBounces(),
        other.getBounces({ messageID: bouncedId }),
        other.getMessageOpens(),
        other.getMessageClicks(),
      ]);
      expect(lists.map(({ TotalCount }) => TotalCount)).toEqual([0, 0, 0, 0, 0]);
      await eachFails([other.getBounce(ID), other.getBounceDump(ID)], { code: 407 });
      const ofMessage = [
        other.getOutboundMessageDetails(readId),
        other.getMessageOpensForSingleMessage(readId),
        other.getMessageClicksForSingleMessage(readId),
      ];
      await eachFails(ofMessage, { code: 701 });
      expect((await scene.client.getBounces()).TotalCount).toBe(1);
    },
  },
];
