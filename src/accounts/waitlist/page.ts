// The form by which people enter themselves on the waiting list, and what they see then. It needs no script.
import { plans } from '#src/accounts/tenants/rules.ts';
import { publicWordsIn } from '#src/accounts/words.ts';
import { type Language, localeOf } from '#src/kernel/language.ts';
import { page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { waitedFor } from './store.ts';
import { MAX_NOTE, TRAP_FIELD } from './waitlist.ts';

export const JOIN_PATH = '/api/public/waitlist';

/** `keptDays`: how long an entry is kept. */
export const joinFormHtml = (language: Language, keptDays: number): string => {
  const say = publicWordsIn(language).waitlist.form;
  const optional = `<span class="note">(${say.optional})</span>`;
  const options = waitedFor.map((plan) => {
    const mails = plans[plan].monthlyCap.toLocaleString(localeOf(language));
    return `<option value="${plan}">${say.upTo(mails)}</option>`;
  });
  return `<h2 id="join">${say.heading}</h2>
<p>${say.intro}</p>
<form method="post" action="${JOIN_PATH}" accept-charset="utf-8" aria-labelledby="join">
<div class="columns"><div>
<label for="email">${say.email}</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="email">
<label for="plan">${say.plan}</label>
<select id="plan" name="plan">${options.join('')}</select>
<label for="name">${say.name} ${optional}</label>
<input id="name" name="name" maxlength="200" autocomplete="name">
</div><div>
<label for="note">${say.note} ${optional}</label>
<textarea id="note" name="note" maxlength="${MAX_NOTE}"></textarea>
</div></div>
<div hidden aria-hidden="true"><label for="${TRAP_FIELD}">${say.trap}</label>
<input id="${TRAP_FIELD}" name="${TRAP_FIELD}" tabindex="-1" autocomplete="off"></div>
<button type="submit">${say.send}</button>
<p class="note">${say.kept(keptDays)}</p>
</form>`;
};

export const joinedPage = (language: Language, serviceName: string): RouteResult => {
  const { title, text, home } = publicWordsIn(language).waitlist;
  return page({ language, title, serviceName, body: `<p>${text}</p>\n<p><a href="/">${home}</a></p>` });
};
