// The pages on which people without a program of their own report abuse.
import { publicWordsIn } from '#src/accounts/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { MAX_DESCRIPTION } from './schema.ts';

export const REPORT_PATH = '/api/public/abuse';

/** The form, which is sent back to where it came from. */
export const reportPage = (language: Language, serviceName: string): RouteResult => {
  const say = publicWordsIn(language).abuse;
  const optional = `<span class="note">(${say.optional})</span>`;
  return page({
    language,
    serviceName,
    title: say.title,
    body: `<p>${say.intro}</p>
<form method="post" action="${REPORT_PATH}" enctype="multipart/form-data" accept-charset="utf-8">
<label for="email">${say.email}</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="email" aria-describedby="email-note">
<p class="note" id="email-note">${say.emailNote}</p>
<label for="name">${say.name} ${optional}</label>
<input id="name" name="name" maxlength="200" autocomplete="name">
<label for="subject">${say.subject}</label>
<input id="subject" name="subject" required maxlength="200">
<label for="description">${say.description}</label>
<textarea id="description" name="description" required maxlength="${MAX_DESCRIPTION}"></textarea>
<label for="source">${say.source} ${optional}</label>
<input id="source" name="source" type="file" accept=".eml,.txt,message/rfc822,text/plain" aria-describedby="source-note">
<p class="note" id="source-note">${say.sourceNote}</p>
<button type="submit">${say.send}</button>
</form>`,
  });
};

export const receivedPage = (language: Language, serviceName: string, ticketId: string): RouteResult => {
  const say = publicWordsIn(language).abuse;
  return page({
    language,
    serviceName,
    title: say.receivedTitle,
    body: `<p>${say.received}</p>\n<p>${say.number}: <code>${escapeHtml(ticketId)}</code></p>`,
  });
};
