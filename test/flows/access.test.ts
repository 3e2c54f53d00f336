// Who may call what: every route of the application with every kind of credential, one test a route. What each role may
// is written down here once more, from the specification; what each route asks, and what an allowed call
// of it answers, is in a table; the running application's own description must agree with it in every route. Of routes that ask
// the same, one is called by all callers, the others by one of those that get the same answer; in full length each by all.
import { afterAll, describe, expect, test } from 'vitest';
import { permissions } from '#src/kernel/access.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { startApp } from '#test/support/app.ts';
import { checkCells } from '#test/support/cells.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { describedPaths } from '#test/support/openapi.ts';
import { join, makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { soak } from '#test/support/soak.ts';

interface Call {
  /** What the route answers to who may call it; the call is such that nothing is changed. */
  readonly status: number;
  readonly body?: unknown;
  readonly query?: string;
}

/** Bodies are refused after the caller has been let in, so a wrong one changes nothing. */
const refusedBody: Call = { status: 400, body: { no_such_field: 1 } };
/** By another API, whose clients want another status. */
const refusedThere: Call = { ...refusedBody, status: 422 };
const found: Call = { status: 200 };
const noSuchThing: Call = { status: 404 };

const MARKDOWN = '.md';

/** What each route asks of its caller, and a call of it. */
const table: Readonly<Record<string, readonly [access: string, call: Call]>> = {
  'GET /': ['public', found],
  'GET /app': ['public', found],
  'GET /app/{area}': ['public', found],
  'GET /app/{area}/{page}': ['public', found],
  'GET /app/{area}/{page}/{item}': ['public', found],
  'GET /assets/{file}': ['public', noSuchThing],
  'GET /healthz': ['public', found],
  // Off unless it is configured.
  'GET /metrics': ['public', noSuchThing],
  'GET /openapi.yaml': ['public', found],
  'GET /openapi-compat.yaml': ['public', found],
  'GET /reference': ['public', found],
  [`GET /reference${MARKDOWN}`]: ['public', found],
  'GET /reference/{page}': ['public', noSuchThing],
  'GET /llms.txt': ['public', found],
  'GET /app/frame': ['public', found],
  'GET /.well-known/mta-sts.txt': ['public', noSuchThing],
  'GET /.well-known/acme-challenge/{token}': ['public', noSuchThing],
  'GET /t/o/{token}': ['public', noSuchThing],
  'GET /t/c/{token}/{url}': ['public', noSuchThing],
  'GET /i/{token}/{file}': ['public', noSuchThing],
  'POST /api/upstreams/{name}/events': ['public', { status: 401, body: {} }],
  'GET /api/meta': ['authenticated', found],

  'POST /api/auth/request-otp': ['public', refusedBody],
  'POST /api/auth/verify-otp': ['public', refusedBody],
  'POST /api/auth/login-password': ['public', refusedBody],
  'POST /api/auth/accept-invitation': ['public', refusedBody],
  'POST /api/auth/logout': ['session', { status: 400, query: '?everywhere=perhaps' }],
  'GET /api/auth/me': ['session', found],
  'PATCH /api/auth/me': ['session', refusedBody],
  'GET /api/auth/sessions': ['session', found],
  'DELETE /api/auth/sessions/{sessionID}': ['session', noSuchThing],
  'PUT /api/auth/password': ['session', refusedBody],
  'DELETE /api/auth/password': ['session', noSuchThing],
  'POST /api/auth/memberships/{practiceID}/accept': ['session', noSuchThing],
  'DELETE /api/auth/memberships/{practiceID}': ['session', noSuchThing],
  'GET /invitation/{token}': ['public', noSuchThing],
  'POST /invitation/{token}': ['public', noSuchThing],

  'GET /api/public/abuse': ['public', found],
  'POST /api/public/abuse': ['public', refusedBody],
  'POST /api/public/waitlist': ['public', refusedBody],
  'GET /api/public/unsub': ['public', noSuchThing],
  'POST /api/public/unsub': ['public', noSuchThing],
  'POST /api/public/unsubscribe': ['public', { status: 410 }],
  'GET /.well-known/consent-keys.json': ['public', found],
  'GET /api/public/subscribe': ['public', noSuchThing],
  'POST /api/public/subscribe': ['public', refusedBody],
  'GET /api/public/confirm': ['public', noSuchThing],
  'POST /api/public/confirm': ['public', noSuchThing],
  'GET /api/public/preferences': ['public', noSuchThing],
  'POST /api/public/preferences': ['public', noSuchThing],
  'GET /api/public/forward': ['public', noSuchThing],
  'POST /api/public/forward': ['public', noSuchThing],
  'GET /api/public/form': ['public', noSuchThing],
  'POST /api/public/form': ['public', { status: 404, body: {} }],
  'GET /api/public/form-proof': ['public', noSuchThing],
  'POST /api/public/form-proof': ['public', noSuchThing],
  'GET /api/public/tls-host': ['public', { status: 404, query: '?domain=www.example.org' }],
  'GET /api/public/domain-connect/template': ['public', found],
  'GET /api/public/domain-connect/meta': ['public', found],
  'POST /api/public/billing/stripe': ['public', { status: 409, body: {} }],

  'GET /api/admin/health': ['operator', found],
  'GET /api/admin/doctor': ['operator', found],
  'POST /api/admin/doctor': ['operator', refusedBody],
  'GET /api/admin/practices': ['operator', found],
  'POST /api/admin/sign-in-links': ['operator', refusedBody],
  'GET /api/admin/plans': ['operator', found],
  'GET /api/admin/moves': ['operator', found],
  'GET /api/admin/directory': ['operator', found],
  'POST /api/admin/moves/{practiceID}/copy': ['operator', noSuchThing],
  'GET /api/admin/arrivals/{practiceID}': ['operator', found],
  'PUT /api/admin/arrivals/{practiceID}': ['operator', refusedBody],
  'POST /api/admin/arrivals/{practiceID}': ['operator', refusedBody],
  'POST /api/admin/arrivals/{practiceID}/begin': ['operator', noSuchThing],
  'DELETE /api/admin/arrivals/{practiceID}': ['operator', { status: 204 }],
  'GET /api/admin/audit': ['operator', found],
  'GET /api/admin/abuse-tickets': ['operator', found],
  'GET /api/admin/abuse-tickets/{ticketID}': ['operator', noSuchThing],
  'GET /api/admin/abuse-tickets/{ticketID}/source': ['operator', noSuchThing],
  'GET /api/admin/abuse-tickets/{ticketID}/message': ['operator', noSuchThing],
  'PATCH /api/admin/abuse-tickets/{ticketID}': ['operator', refusedBody],
  'GET /api/admin/waitlist': ['operator', found],
  'GET /api/admin/queues': ['operator', found],
  'POST /api/admin/restore/{practiceID}': ['operator', noSuchThing],
  'POST /api/admin/upstreams/{name}/probe': ['operator', noSuchThing],
  'POST /api/admin/upstreams/{name}/reset': ['operator', noSuchThing],
  'DELETE /api/admin/waitlist/{entryID}': ['operator', noSuchThing],

  'GET /api/practices': ['authenticated', found],
  'GET /api/practices/summary': ['authenticated', found],
  'POST /api/practices': ['practice_creator', refusedBody],
  'POST /api/projects': ['practice_creator', refusedBody],
  'GET /api/practices/{id}': ['authenticated', found],
  'PATCH /api/practices/{id}': ['practice.manage', refusedBody],
  'POST /api/practices/{id}/plan': ['operator', refusedBody],
  'POST /api/practices/{id}/safe-mode': ['operator', refusedBody],
  'POST /api/practices/{id}/erase': ['operator', refusedBody],
  'POST /api/practices/{id}/freeze': ['operator', refusedBody],
  'PUT /api/practices/{id}/freeze': ['operator', refusedBody],
  'DELETE /api/practices/{id}/freeze': ['operator', found],
  'POST /api/practices/{id}/move': ['operator', refusedBody],
  'POST /api/practices/{id}/owners': ['operator', refusedBody],
  'POST /api/practices/{id}/approval': ['operator', refusedBody],
  'PATCH /api/practices/{id}/compliance': ['practice.manage', refusedBody],
  'GET /api/practices/{id}/pages': ['practice.manage', found],
  'PATCH /api/practices/{id}/pages': ['practice.manage', refusedBody],
  'GET /api/practices/{id}/retention': ['stats.view', found],
  'PATCH /api/practices/{id}/retention': ['practice.manage', refusedBody],
  'GET /api/practices/{id}/overview': ['stats.view', found],
  'GET /api/practices/{id}/rates': ['stats.view', found],
  'GET /api/practices/{id}/billing': ['billing.manage', found],
  'POST /api/practices/{id}/billing/checkout': ['billing.manage', refusedBody],
  'POST /api/practices/{id}/billing/portal': ['billing.manage', { status: 409 }],
  'POST /api/practices/{id}/pause': ['practice.manage', refusedBody],
  // It is not paused: there is nothing to change.
  'POST /api/practices/{id}/resume': ['practice.manage', { status: 409 }],
  'GET /api/practices/{id}/onboarding': ['authenticated', found],
  'GET /api/practices/{id}/cutover': ['stats.view', found],
  // Safe mode is off here: there is nothing to change.
  'POST /api/practices/{id}/cutover': ['practice.manage', found],
  'GET /api/practices/{id}/deliverability': ['stats.view', found],
  'GET /api/practices/{id}/domain-reports': ['domain.manage', found],
  'GET /api/practices/{id}/channel-mix': ['stats.view', found],
  'GET /api/practices/{id}/placement': ['stats.view', found],
  'GET /api/practices/{id}/queue': ['messages.view', found],
  'GET /api/practices/{id}/held-mail': ['messages.view', found],
  'POST /api/practices/{id}/held-mail/release': ['practice.manage', found],
  'POST /api/practices/{id}/held-mail/discard': ['practice.manage', found],
  'GET /api/practices/{id}/exports/bi': ['stats.view', { status: 200, query: '?kind=stats' }],
  'GET /api/practices/{id}/dns-records': ['authenticated', found],
  'GET /api/practices/{id}/check-dns': ['domain.manage', found],
  'POST /api/practices/{id}/check-dns': ['domain.manage', found],
  'POST /api/practices/{id}/custom-domain': ['domain.manage', refusedBody],
  'POST /api/practices/{id}/restore-managed-domain': ['domain.manage', found],
  'PUT /api/practices/{id}/bimi': ['domain.manage', refusedBody],
  'GET /api/practices/{id}/dkim-keys': ['domain.manage', found],
  'POST /api/practices/{id}/dkim-keys/rotate': ['domain.manage', refusedBody],
  'POST /api/practices/{id}/dkim-keys/import': ['domain.manage', refusedBody],
  'GET /api/practices/{id}/dns-records/cloudflare-zone': ['authenticated', found],
  'GET /api/practices/{id}/domain-connect/cloudflare': ['domain.manage', found],
  'GET /api/practices/{id}/inbound': ['inbound.view', found],
  'PATCH /api/practices/{id}/inbound': ['inbound.manage', refusedBody],
  'POST /api/practices/{id}/inbound/enable': ['inbound.manage', refusedBody],
  'POST /api/practices/{id}/inbound/disable': ['inbound.manage', refusedBody],
  'POST /api/practices/{id}/inbound/check': ['inbound.manage', refusedBody],
  'GET /api/practices/{id}/inbound/messages': ['inbound.view', found],
  'GET /api/practices/{id}/inbound/messages/{messageID}': ['inbound.view', noSuchThing],
  'GET /api/practices/{id}/inbound/messages/{messageID}/raw': ['inbound.view', noSuchThing],
  'GET /api/practices/{id}/inbound/messages/{messageID}/attachments/{index}': ['inbound.view', noSuchThing],
  'GET /api/practices/{id}/inbound/messages/{messageID}/preview': ['inbound.view', noSuchThing],
  'PATCH /api/practices/{id}/inbound/messages/{messageID}': ['inbound.view', refusedBody],
  'POST /api/practices/{id}/inbound/messages/{messageID}/release': ['inbound.manage', noSuchThing],
  'DELETE /api/practices/{id}/inbound/messages/{messageID}': ['inbound.manage', noSuchThing],
  'POST /api/practices/{id}/inbound/ask-again': ['inbound.manage', refusedBody],
  'GET /api/practices/{id}/audit': ['audit.view', found],
  'GET /api/practices/{id}/members': ['members.manage', found],
  'POST /api/practices/{id}/members': ['members.manage', refusedBody],
  'PATCH /api/practices/{id}/members/{memberID}': ['members.manage', refusedBody],
  'DELETE /api/practices/{id}/members/{memberID}': ['members.manage', noSuchThing],
  'GET /api/practices/{id}/roles': ['authenticated', found],
  'POST /api/practices/{id}/roles': ['members.manage', refusedBody],
  'GET /api/practices/{id}/roles/{roleID}': ['authenticated', noSuchThing],
  'PATCH /api/practices/{id}/roles/{roleID}': ['members.manage', refusedBody],
  'DELETE /api/practices/{id}/roles/{roleID}': ['members.manage', noSuchThing],
  'GET /api/practices/{id}/projects': ['authenticated', found],
  'POST /api/practices/{id}/projects': ['projects.manage', refusedBody],
  'GET /api/practices/{id}/projects/{projectID}': ['authenticated', noSuchThing],
  'PATCH /api/practices/{id}/projects/{projectID}': ['projects.manage', refusedBody],
  'GET /api/practices/{id}/routes': ['authenticated', found],
  'POST /api/practices/{id}/routes': ['routes.manage', refusedBody],
  'GET /api/practices/{id}/routes/{routeID}': ['authenticated', noSuchThing],
  'PATCH /api/practices/{id}/routes/{routeID}': ['routes.manage', refusedBody],
  'POST /api/practices/{id}/routes/{routeID}/default': ['routes.manage', noSuchThing],
  'GET /api/practices/{id}/api-tokens': ['tokens.manage', found],
  'GET /api/practices/{id}/requests': ['tokens.manage', found],
  'POST /api/practices/{id}/api-tokens': ['tokens.manage', refusedBody],
  'DELETE /api/practices/{id}/api-tokens/{tokenID}': ['tokens.manage', noSuchThing],
  'POST /api/practices/{id}/api-tokens/{tokenID}/slow': ['tokens.manage', refusedBody],
  'POST /api/practices/{id}/api-tokens/{tokenID}/lift': ['tokens.manage', refusedBody],
  'POST /api/practices/{id}/api-tokens/{tokenID}/discard': ['tokens.manage', noSuchThing],
  'POST /api/practices/{id}/send': ['messages.send', refusedBody],
  'POST /api/practices/{id}/send/score': ['messages.send', refusedBody],
  'POST /api/practices/{id}/send-test': ['messages.send', refusedBody],
  'POST /api/practices/{id}/validate-emails': ['messages.send', refusedBody],
  'POST /api/emails': ['messages.send', refusedBody],
  'POST /api/compat/vendor-a/emails': ['messages.send', refusedThere],
  'POST /api/compat/vendor-a/emails/batch': ['messages.send', refusedThere],
  'GET /api/compat/vendor-a/emails': ['messages.view', found],
  'GET /api/compat/vendor-a/emails/{messageID}': ['messages.view', noSuchThing],
  'PATCH /api/compat/vendor-a/emails/{messageID}': ['messages.send', refusedThere],
  'POST /api/compat/vendor-a/emails/{messageID}/cancel': ['messages.send', refusedThere],
  'GET /api/compat/vendor-a/domains': ['messages.view', found],
  'GET /api/compat/vendor-a/domains/{domainID}': ['messages.view', noSuchThing],
  'POST /api/compat/vendor-b/email': ['messages.send', refusedThere],
  'POST /api/compat/vendor-b/email/withTemplate': ['messages.send', refusedThere],
  'POST /api/compat/vendor-b/email/batch': ['messages.send', refusedThere],
  'POST /api/compat/vendor-b/email/batchWithTemplates': ['messages.send', refusedThere],
  'GET /api/compat/vendor-b/messages/outbound': ['messages.view', found],
  'GET /api/compat/vendor-b/messages/outbound/{messageID}/details': ['messages.view', noSuchThing],
  'GET /api/compat/vendor-b/messages/outbound/{messageID}/dump': ['messages.view_content', noSuchThing],
  'GET /api/compat/vendor-b/messages/outbound/opens': ['messages.view', found],
  'GET /api/compat/vendor-b/messages/outbound/opens/{messageID}': ['messages.view', noSuchThing],
  'GET /api/compat/vendor-b/messages/outbound/clicks': ['messages.view', found],
  'GET /api/compat/vendor-b/messages/outbound/clicks/{messageID}': ['messages.view', noSuchThing],
  'GET /api/compat/vendor-b/bounces': ['messages.view', found],
  'GET /api/compat/vendor-b/bounces/{bounceID}': ['messages.view', { status: 422 }],
  'GET /api/compat/vendor-b/bounces/{bounceID}/dump': ['messages.view', { status: 422 }],
  'PUT /api/compat/vendor-b/bounces/{bounceID}/activate': ['suppressions.manage', { status: 422 }],
  'GET /api/compat/vendor-b/message-streams/{stream}/suppressions/dump': [
    'suppressions.manage',
    { status: 422 },
  ],
  'POST /api/compat/vendor-b/message-streams/{stream}/suppressions': ['suppressions.manage', refusedThere],
  'POST /api/compat/vendor-b/message-streams/{stream}/suppressions/delete': [
    'suppressions.manage',
    refusedThere,
  ],
  'GET /api/compat/vendor-b/server': ['messages.view', found],
  'GET /api/compat/vendor-b/message-streams': ['messages.view', found],
  'GET /api/compat/vendor-b/message-streams/{stream}': ['messages.view', { status: 422 }],
  'GET /api/compat/vendor-b/stats/outbound': ['stats.view', found],
  'GET /api/compat/vendor-b/stats/outbound/sends': ['stats.view', found],
  'GET /api/compat/vendor-b/stats/outbound/bounces': ['stats.view', found],
  'GET /api/compat/vendor-b/stats/outbound/spam': ['stats.view', found],
  'GET /api/compat/vendor-b/stats/outbound/opens': ['stats.view', found],
  'GET /api/compat/vendor-b/stats/outbound/clicks': ['stats.view', found],
  'GET /api/compat/vendor-b/deliverystats': ['stats.view', found],
  'GET /api/compat/vendor-b/deliveryStats': ['stats.view', found],
  'POST /api/compat/vendor-c/mail/send': ['messages.send', refusedBody],
  'GET /api/compat/eu/ping': ['authenticated', found],
  'GET /api/compat/eu/messages/{messageID}': ['messages.view', noSuchThing],
  'GET /api/compat/vendor-b/templates': ['messages.send', found],
  'GET /api/compat/vendor-b/templates/{templateID}': ['messages.send', { status: 422 }],
  'POST /api/compat/eu/send': ['messages.send', refusedBody],
  'POST /api/compat/eu/send/batch': ['messages.send', refusedBody],
  'POST /api/practices/{id}/send/batch': ['messages.send', refusedBody],
  'POST /api/practices/{id}/send/bulk': ['messages.send', refusedBody],
  'POST /api/emails/send-bulk': ['messages.send', refusedBody],
  'GET /api/practices/{id}/campaigns': ['campaigns.send', found],
  'POST /api/practices/{id}/campaigns': ['campaigns.send', refusedBody],
  'GET /api/practices/{id}/campaigns/{campaignID}': ['campaigns.send', noSuchThing],
  'PATCH /api/practices/{id}/campaigns/{campaignID}': ['campaigns.send', refusedBody],
  'DELETE /api/practices/{id}/campaigns/{campaignID}': ['campaigns.send', noSuchThing],
  'POST /api/practices/{id}/campaigns/{campaignID}/duplicate': ['campaigns.send', refusedBody],
  'POST /api/practices/{id}/campaigns/{campaignID}/test': ['campaigns.send', refusedBody],
  'POST /api/practices/{id}/campaigns/{campaignID}/score': ['campaigns.send', noSuchThing],
  'POST /api/practices/{id}/campaigns/{campaignID}/send': ['campaigns.send', noSuchThing],
  'POST /api/practices/{id}/campaigns/{campaignID}/schedule': ['campaigns.send', refusedBody],
  'POST /api/practices/{id}/campaigns/{campaignID}/pause': ['campaigns.send', noSuchThing],
  'POST /api/practices/{id}/campaigns/{campaignID}/resume': ['campaigns.send', noSuchThing],
  'POST /api/practices/{id}/campaigns/{campaignID}/cancel': ['campaigns.send', noSuchThing],
  'GET /api/practices/{id}/campaigns/{campaignID}/audience': ['campaigns.send', noSuchThing],
  'GET /api/practices/{id}/campaigns/{campaignID}/recipients': ['campaigns.send', noSuchThing],
  'GET /api/practices/{id}/campaigns/{campaignID}/recipients/export': ['campaigns.send', noSuchThing],
  'GET /api/practices/{id}/campaigns/{campaignID}/links': ['campaigns.send', noSuchThing],
  'POST /api/practices/{id}/content/check': ['messages.send', refusedBody],
  'GET /api/practices/{id}/images': ['messages.send', found],
  'POST /api/practices/{id}/images': ['messages.send', refusedBody],
  'GET /api/practices/{id}/images/{imageID}': ['messages.send', noSuchThing],
  'GET /api/practices/{id}/images/{imageID}/content': ['messages.send', noSuchThing],
  'DELETE /api/practices/{id}/images/{imageID}': ['messages.send', noSuchThing],
  'GET /api/practices/{id}/templates': ['messages.send', found],
  'POST /api/practices/{id}/templates': ['messages.send', refusedBody],
  'GET /api/practices/{id}/templates/{templateID}': ['messages.send', noSuchThing],
  'PATCH /api/practices/{id}/templates/{templateID}': ['messages.send', refusedBody],
  'DELETE /api/practices/{id}/templates/{templateID}': ['messages.send', noSuchThing],
  'GET /api/practices/{id}/templates/{templateID}/versions': ['messages.send', noSuchThing],
  'GET /api/practices/{id}/templates/{templateID}/versions/{version}': ['messages.send', noSuchThing],
  'POST /api/practices/{id}/templates/{templateID}/preview': ['messages.send', refusedBody],
  'GET /api/practices/{id}/practice-semantics': ['messages.view', found],
  'POST /api/practices/{id}/practice-mail/check': ['messages.send', refusedBody],
  'POST /api/practices/{id}/integrations/ics-preview': ['messages.send', refusedBody],
  'POST /api/practices/{id}/integrations/test-termin': ['messages.send', refusedBody],
  'POST /api/practices/{id}/documents/render': ['messages.send', refusedBody],
  'GET /api/practices/{id}/segments': ['campaigns.send', found],
  'POST /api/practices/{id}/segments': ['campaigns.send', refusedBody],
  'POST /api/practices/{id}/segments/count': ['campaigns.send', refusedBody],
  'POST /api/practices/{id}/segments/people': ['lists.manage', refusedBody],
  'GET /api/practices/{id}/segments/{segmentID}': ['campaigns.send', noSuchThing],
  'PATCH /api/practices/{id}/segments/{segmentID}': ['campaigns.send', refusedBody],
  'DELETE /api/practices/{id}/segments/{segmentID}': ['campaigns.send', noSuchThing],
  'GET /api/practices/{id}/letterhead': ['messages.send', found],
  'PUT /api/practices/{id}/letterhead': ['practice.manage', refusedBody],
  'POST /api/practices/{id}/presets/seed': ['messages.send', { status: 400, query: '?names=all' }],
  'GET /api/practices/{id}/events': ['messages.view', found],
  'GET /api/practices/{id}/messages/search': ['messages.view', found],
  'GET /api/practices/{id}/messages/search/counts': ['messages.view', found],
  'GET /api/practices/{id}/messages/search/export': ['messages.view', found],
  'GET /api/practices/{id}/messages/{messageID}': ['messages.view', noSuchThing],
  'PATCH /api/practices/{id}/messages/{messageID}': ['messages.send', refusedBody],
  'POST /api/practices/{id}/messages/{messageID}/cancel': ['messages.send', noSuchThing],
  'GET /api/practices/{id}/messages/{messageID}/timeline': ['messages.view', noSuchThing],
  'GET /api/practices/{id}/messages/{messageID}/source': ['messages.view_content', noSuchThing],
  'GET /api/practices/{id}/messages/{messageID}/events': ['messages.view', noSuchThing],
  'GET /api/practices/{id}/webhooks': ['webhooks.manage', found],
  'POST /api/practices/{id}/webhooks': ['webhooks.manage', refusedBody],
  'GET /api/practices/{id}/webhooks/{webhookID}': ['webhooks.manage', noSuchThing],
  'PATCH /api/practices/{id}/webhooks/{webhookID}': ['webhooks.manage', refusedBody],
  'DELETE /api/practices/{id}/webhooks/{webhookID}': ['webhooks.manage', noSuchThing],
  'POST /api/practices/{id}/webhooks/{webhookID}/test': ['webhooks.manage', noSuchThing],
  'POST /api/practices/{id}/webhooks/{webhookID}/rotate': ['webhooks.manage', noSuchThing],
  'POST /api/practices/{id}/webhooks/{webhookID}/replay': ['webhooks.manage', refusedBody],
  'GET /api/practices/{id}/webhooks/{webhookID}/deliveries': ['webhooks.manage', noSuchThing],
  'GET /api/practices/{id}/webhooks/{webhookID}/health': ['webhooks.manage', noSuchThing],
  'GET /api/practices/{id}/webhooks/{webhookID}/deliveries/{deliveryID}': ['webhooks.manage', noSuchThing],
  'POST /api/practices/{id}/webhooks/{webhookID}/deliveries/{deliveryID}/replay': [
    'webhooks.manage',
    noSuchThing,
  ],
  'GET /api/practices/{id}/suppression': ['suppressions.manage', found],
  'POST /api/practices/{id}/suppression': ['suppressions.manage', refusedBody],
  'DELETE /api/practices/{id}/suppression/{suppressionID}': ['suppressions.manage', noSuchThing],
  'POST /api/practices/{id}/suppression/import': ['suppressions.manage', refusedBody],
  'POST /api/practices/{id}/lists/{listID}/subscribers/import': ['lists.manage', refusedBody],
  'POST /api/practices/{id}/lists/{listID}/subscribers/import/preview': ['lists.manage', refusedBody],
  'GET /api/practices/{id}/imports': ['authenticated', found],
  'GET /api/practices/{id}/imports/{importID}': ['authenticated', noSuchThing],
  'GET /api/practices/{id}/imports/{importID}/report': ['authenticated', noSuchThing],
  'DELETE /api/practices/{id}/imports/{importID}': ['authenticated', noSuchThing],
  'GET /api/practices/{id}/suppression/export': ['suppressions.manage', found],
  'POST /api/practices/{id}/suppression/bulk-delete': ['suppressions.manage', refusedBody],
  'GET /api/practices/{id}/people': ['lists.manage', { status: 200, query: '?address=a@example.org' }],
  'GET /api/practices/{id}/people/export': ['lists.manage', { status: 200, query: '?address=a@example.org' }],
  'PATCH /api/practices/{id}/people': ['practice.manage', refusedBody],
  'POST /api/practices/{id}/people/erase': ['practice.manage', refusedBody],
  'GET /api/practices/{id}/people/erasures': ['practice.manage', found],
  'GET /api/practices/{id}/people/erasures/{erasureID}': ['practice.manage', noSuchThing],
  'GET /api/suppressions': ['suppressions.manage', found],
  'GET /api/practices/{id}/consent': ['lists.manage', found],
  'GET /api/practices/{id}/consent/evidence': [
    'lists.manage',
    { status: 404, query: '?address=erika@example.org' },
  ],
  'GET /api/practices/{id}/lists': ['lists.manage', found],
  'POST /api/practices/{id}/lists': ['lists.manage', refusedBody],
  'GET /api/practices/{id}/lists/{listID}': ['lists.manage', noSuchThing],
  'PATCH /api/practices/{id}/lists/{listID}': ['lists.manage', refusedBody],
  'DELETE /api/practices/{id}/lists/{listID}': ['lists.manage', noSuchThing],
  'GET /api/practices/{id}/lists/{listID}/form': ['lists.manage', noSuchThing],
  'GET /api/practices/{id}/lists/{listID}/subscribers': ['lists.manage', noSuchThing],
  'POST /api/practices/{id}/lists/{listID}/subscribers': ['lists.manage', refusedBody],
  'GET /api/practices/{id}/lists/{listID}/subscribers/export': ['lists.manage', noSuchThing],
  'GET /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}': ['lists.manage', noSuchThing],
  'PATCH /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}': ['lists.manage', refusedBody],
  'DELETE /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}': ['lists.manage', noSuchThing],
  'POST /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}/confirmation': [
    'lists.manage',
    noSuchThing,
  ],
  // It has its managed host alone: there is nothing to publish.
  'POST /api/practices/{id}/inbound/apply-dns': ['inbound.manage', found],
  'GET /api/practices/{id}/inbound/unread': ['inbound.view', found],
  'GET /api/practices/{id}/inbound/assignees': ['inbound.view', found],
  'GET /api/practices/{id}/inbound/threads/{threadID}': ['inbound.view', noSuchThing],
  'PATCH /api/practices/{id}/inbound/threads/{threadID}': ['inbound.view', refusedBody],
  'POST /api/practices/{id}/inbound/threads/{threadID}/notes': ['inbound.view', refusedBody],
  'DELETE /api/practices/{id}/inbound/threads/{threadID}/notes/{noteID}': ['inbound.view', noSuchThing],
  'GET /api/practices/{id}/saved-replies': ['messages.send', found],
  'POST /api/practices/{id}/saved-replies': ['messages.send', refusedBody],
  'PATCH /api/practices/{id}/saved-replies/{replyID}': ['messages.send', refusedBody],
  'DELETE /api/practices/{id}/saved-replies/{replyID}': ['messages.send', noSuchThing],
  'GET /api/practices/{id}/website-forms': ['inbound.view', found],
  'POST /api/practices/{id}/website-forms': ['inbound.manage', refusedBody],
  'GET /api/practices/{id}/website-forms/{formID}': ['inbound.view', noSuchThing],
  'PATCH /api/practices/{id}/website-forms/{formID}': ['inbound.manage', refusedBody],
  'DELETE /api/practices/{id}/website-forms/{formID}': ['inbound.manage', noSuchThing],
  'GET /api/practices/{id}/inbound-hooks': ['inbound.view', found],
  'POST /api/practices/{id}/inbound-hooks': ['inbound.manage', refusedBody],
  'DELETE /api/practices/{id}/inbound-hooks/{hookID}': ['inbound.manage', noSuchThing],
  'POST /api/practices/{id}/inbound-hooks/{hookID}/rotate': ['inbound.manage', noSuchThing],
  'POST /api/practices/{id}/inbound-hooks/{hookID}/test': ['inbound.manage', noSuchThing],
  'POST /api/public/hooks/{id}/send': ['public', { status: 401, body: {} }],
  'GET /api/practices/{id}/alerts': ['webhooks.manage', found],
  'POST /api/practices/{id}/alerts': ['webhooks.manage', refusedBody],
  'GET /api/practices/{id}/alerts/{alertID}': ['webhooks.manage', noSuchThing],
  'PATCH /api/practices/{id}/alerts/{alertID}': ['webhooks.manage', refusedBody],
  'DELETE /api/practices/{id}/alerts/{alertID}': ['webhooks.manage', noSuchThing],
  'POST /api/practices/{id}/alerts/{alertID}/test': ['webhooks.manage', noSuchThing],
  'GET /api/practices/{id}/captures': ['messages.view_content', found],
  'GET /api/practices/{id}/captures/{captureID}': ['messages.view_content', noSuchThing],
  'GET /api/practices/{id}/captures/{captureID}/preview': ['messages.view_content', noSuchThing],
  'GET /api/practices/{id}/captures/{captureID}/content': ['messages.view_content', noSuchThing],
  'GET /api/practices/{id}/captures/{captureID}/attachments/{index}': ['messages.view_content', noSuchThing],
  'GET /api/practices/{id}/messages/{messageID}/preview': ['messages.view_content', noSuchThing],
  'GET /api/practices/{id}/messages/{messageID}/attachments/{index}': ['messages.view_content', noSuchThing],
  'POST /api/practices/{id}/messages/{messageID}/send-again': ['messages.send', noSuchThing],
};

const memberMay =
  'messages.send messages.view messages.view_content stats.view suppressions.manage lists.manage inbound.view'.split(
    ' ',
  );
const all: readonly string[] = permissions;
const but = (...withheld: string[]): string[] => all.filter((permission) => !withheld.includes(permission));

/** What each may do in the practice; the others may not enter it. */
const granted: Readonly<Record<string, readonly string[]>> = {
  'project token': ['messages.send', 'messages.view', 'stats.view'],
  'team token': but('billing.manage', 'members.manage'),
  viewer: ['messages.view', 'stats.view', 'inbound.view'],
  editor: [...memberMay, 'campaigns.send'],
  member: memberMay,
  'member of one project': [
    'messages.send',
    'messages.view',
    'messages.view_content',
    'stats.view',
    'suppressions.manage',
  ],
  'admin of one project': [
    'messages.send',
    'messages.view',
    'messages.view_content',
    'stats.view',
    'suppressions.manage',
    'routes.manage',
    'projects.manage',
    'tokens.manage',
  ],
  admin: but('billing.manage'),
  owner: all,
  'owner by cookie': all,
  operator: all,
  'operator who is signed in': all,
};

const signedIn: ReadonlySet<string> = new Set([
  'foreign member',
  'viewer',
  'editor',
  'member',
  'member of one project',
  'admin of one project',
  'admin',
  'owner',
  'owner by cookie',
  'operator who is signed in',
]);
/** Owner or Admin of any practice. */
const creators: ReadonlySet<string> = new Set([
  'foreign member',
  'admin of one project',
  'admin',
  'owner',
  'owner by cookie',
  'operator',
  'operator who is signed in',
]);
const operators: ReadonlySet<string> = new Set(['operator', 'operator who is signed in']);

interface Expected {
  readonly status: number;
  readonly code?: ErrorCode;
  /** The door's own words for a practice that is none of the caller's. */
  readonly isPracticeRefused: boolean;
}

const answered = (status: number): Expected => ({ status, isPracticeRefused: false });
const unauthorized: Expected = { status: 401, code: 'unauthorized', isPracticeRefused: false };
const forbidden: Expected = { status: 403, code: 'forbidden', isPracticeRefused: false };
const foreign: Expected = { status: 404, code: 'not_found', isPracticeRefused: true };

/** As the API writes it in whose form the route answers. */
const inFormOf = (route: string, { status, code, ...rest }: Expected): Expected => {
  const shape = /\/api\/compat\/vendor-([abc])\//.exec(route)?.[1] as 'a' | 'b' | 'c' | undefined;
  // There, to send no credential is an error of its own.
  if (code === undefined || (shape === 'a' && code === 'unauthorized')) return { status, ...rest };
  if (shape === undefined) return { status, code, ...rest };
  const { a, b, c } = errorTable[code].foreign;
  return { status: { a: a[1], b: b[1], c: c[0] }[shape], ...rest };
};

const mayCall = (kind: string, access: string): boolean => {
  switch (access) {
    case 'authenticated':
      return true;
    case 'session':
      return signedIn.has(kind);
    case 'practice_creator':
      return creators.has(kind);
    case 'operator':
      return operators.has(kind);
    default:
      return granted[kind]?.includes(access) ?? false;
  }
};

const isOfPractice = (route: string, access: string): boolean =>
  route.includes('/api/practices/{id}') || all.includes(access);

const expectedOf = (kind: string, route: string, access: string, call: Call): Expected => {
  if (access === 'public') return answered(call.status);
  if (kind === 'anonymous') return unauthorized;
  const isWrite = !route.startsWith('GET ');
  if (kind === 'owner by cookie without the CSRF token' && isWrite) return forbidden;
  const who = kind === 'owner by cookie without the CSRF token' ? 'owner' : kind;
  if (isOfPractice(route, access) && granted[who] === undefined) return foreign;
  return mayCall(who, access) ? answered(call.status) : forbidden;
};

const dns = await startDnsZone();
const app = await startApp({
  config: { ...unlimitedSignIn, operators: ['operator@example.org'], dns: { resolvers: [dns.address] } },
});
afterAll(async () => {
  await app.remove();
  await dns.stop();
});
const practice = await app.createPractice();
const other = await app.createPractice({ name: 'Andere Praxis' });
const base = `/api/practices/${practice.id}`;
const { body: project } = await app.request<{ id: string }>(
  'POST',
  `${base}/projects`,
  { name: 'Recall' },
  app.adminToken,
);
await makeOwner(app, practice.id, 'owner@example.org');
await makeOwner(app, other.id, 'stranger@example.org');
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const invite = async (name: string, role_id: string, fields: object = {}) => {
  const person = await join(app, practice.id, `${name}@example.org`, { role_id, ...fields });
  return bearer(person.token);
};
const ofOneProject = { all_projects: false, project_ids: [project.id] };
const owner = await signIn(app, 'owner@example.org');
const stranger = await signIn(app, 'stranger@example.org');
const operator = await signIn(app, 'operator@example.org');

const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anonymous: {},
  'foreign token': bearer(await app.createToken(other.id)),
  'foreign member': bearer(stranger.token),
  'project token': bearer(await app.createToken(practice.id, { scope: 'project', project_id: project.id })),
  'team token': bearer(await app.createToken(practice.id)),
  viewer: await invite('viewer', 'viewer'),
  editor: await invite('editor', 'editor'),
  member: await invite('member', 'member'),
  'member of one project': await invite('limited', 'member', ofOneProject),
  'admin of one project': await invite('limited-admin', 'admin', ofOneProject),
  admin: await invite('admin', 'admin'),
  owner: bearer(owner.token),
  'operator who is signed in': bearer(operator.token),
  'owner by cookie': { Cookie: owner.cookie, 'X-CSRF-Token': owner.csrfToken },
  'owner by cookie without the CSRF token': { Cookie: owner.cookie },
  operator: { 'X-Admin-Token': app.adminToken },
};

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-permission': string }>>>>;
}
const described = Object.fromEntries(
  Object.entries(await describedPaths<Described['paths']>(app)).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { 'x-permission': access }]) => [
      `${method.toUpperCase()} ${path}`,
      access,
    ]),
  ),
);
const kinds = Object.keys(credentials);
const rows = Object.entries(table).map(([route, [access, call]]) => ({ route, access, call }));

/** What decides about the caller. */
const classOf = ({ route, access }: (typeof rows)[number]): string =>
  `${access} ${route.startsWith('GET ')} ${isOfPractice(route, access)}`;
const firstOfClass = new Set(
  Map.groupBy(rows, classOf)
    .values()
    .map(([first]) => first),
);

const callersOf = (row: (typeof rows)[number]): readonly string[] =>
  soak(firstOfClass.has(row), true)
    ? kinds
    : [
        ...Map.groupBy(kinds, (kind) =>
          JSON.stringify(expectedOf(kind, row.route, row.access, row.call)),
        ).values(),
      ].flatMap((alike) => alike.slice(0, 1));

/** Operators enter any: here the other one, because some limits are those of a practice. */
const enteredBy = (kind: string): string => (kind === 'operator who is signed in' ? other.id : practice.id);

const pathOf = (route: string, kind: string): string =>
  route
    .slice(route.indexOf(' ') + 1)
    .replace('{id}', enteredBy(kind))
    .replace(/\{\w+\}/g, () => newId());

describe(`${rows.length} routes by ${kinds.length} kinds of callers`, () => {
  test('every route of the application is in the table, with what it asks, and no other', () => {
    expect(described).toEqual(
      Object.fromEntries(Object.entries(table).map(([route, [access]]) => [route, access])),
    );
  });

  test.each(rows)('$route ($access)', { tags: 'soak' }, async (row) => {
    const { route, access, call } = row;
    const [method = ''] = route.split(' ', 1);
    await checkCells(
      callersOf(row),
      (kind) => kind,
      async (kind) => {
        const answer = await app.request<Readonly<Record<string, string | undefined>>>(
          method,
          pathOf(route, kind) + (call.query ?? ''),
          call.body,
          undefined,
          {
            ...credentials[kind],
            ...(route.includes('{id}') ? {} : { 'X-Service-Practice': enteredBy(kind) }),
          },
        );
        const expected = inFormOf(route, expectedOf(kind, route, access, call));
        expect({
          status: answer.status,
          code: answer.status >= 400 ? answer.body.code : undefined,
        }).toMatchObject({
          status: expected.status,
          ...(expected.code === undefined ? {} : { code: expected.code }),
        });
        if (isOfPractice(route, access)) {
          expect(answer.text.includes('"There is no such practice.')).toBe(expected.isPracticeRefused);
        }
      },
    );
  });
});
