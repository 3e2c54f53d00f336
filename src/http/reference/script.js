// What a page of the reference does beyond HTML: it searches all pages, remembers the language of the samples, fills in the id of a
// practice that the address names, and follows anchors of the one page that there was in earlier versions.
const MOST = 30;
const LANGUAGE = 'reference-language';
const PRACTICE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const remembered = () => {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
};

const rememberLanguage = () => {
  const radios = [...document.querySelectorAll('input[name=language]')];
  const former = radios.find(({ value }) => value === remembered());
  if (former) former.checked = true;
  for (const radio of radios)
    radio.addEventListener('change', () => {
      try {
        localStorage.setItem(LANGUAGE, radio.value);
      } catch {
        // A browser that keeps nothing still shows the samples.
      }
    });
};

/** In each language the practice comes from the environment; its id takes that place. */
const PLACES = [
  [/\$SENDWERK_PRACTICE/g, (id) => id],
  [/SENDWERK_PRACTICE=…/g, (id) => `SENDWERK_PRACTICE=${id}`],
  [/process\.env\.SENDWERK_PRACTICE|getenv\('SENDWERK_PRACTICE'\)/g, (id) => `'${id}'`],
  [/os\.environ\["SENDWERK_PRACTICE"\]|os\.Getenv\("SENDWERK_PRACTICE"\)/g, (id) => `"${id}"`],
];

const fillPractice = () => {
  const practice = new URL(location.href).searchParams.get('practice');
  if (practice === null || !PRACTICE.test(practice)) return;
  for (const code of document.querySelectorAll('pre code')) {
    let text = code.textContent;
    for (const [place, write] of PLACES) text = text.replace(place, () => write(practice));
    if (text !== code.textContent) code.textContent = text;
  }
  for (const link of document.querySelectorAll('a[href^="/reference"]')) {
    const target = new URL(link.href);
    target.searchParams.set('practice', practice);
    link.href = target.pathname + target.search + target.hash;
  }
};

const followAnchor = () => {
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const link = entry?.matches('.i > li') ? entry.querySelector('a') : null;
  if (link) location.replace(link.href);
};

let fetched;
const loadIndex = () => {
  fetched ??= fetch('/reference/search.json').then((answer) => answer.json());
  fetched.catch(() => {
    fetched = undefined;
  });
  return fetched;
};

/** The higher the nearer; 0 where a word is nowhere. The service's own calls come before those in the form of another one. */
const rank = ({ href, title, text, fields }, words) => {
  const [first, second, third] = [title, text, fields].map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    if (first === word) sum += 20;
    else if (first.includes(word)) sum += 8;
    else if (second.includes(word)) sum += 4;
    else if (third.includes(word)) sum += third.split(' ').includes(word) ? 3 : 1;
    else return 0;
  }
  return href.startsWith('/reference/form-of-') ? sum / 2 : sum;
};

const itemOf = ({ kind, href, title, text }) => {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = href;
  link.textContent = title;
  const note = document.createElement('span');
  note.textContent = ` ${kind} · ${text}`;
  item.append(link, note);
  return item;
};

const search = async (input, found) => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const [status, list] = found.children;
  found.hidden = words.length === 0;
  if (words.length === 0) return;
  if (list.children.length === 0) status.textContent = 'Searching …';
  let entries;
  try {
    entries = await loadIndex();
  } catch {
    status.textContent = 'The search cannot be loaded at the moment.';
    return;
  }
  const hits = entries
    .map((entry) => ({ entry, value: rank(entry, words) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
  status.textContent =
    hits.length === 0
      ? 'Nothing is found.'
      : `${hits.length} found${hits.length > MOST ? `, the nearest ${MOST} are shown` : ''}`;
  list.replaceChildren(...hits.slice(0, MOST).map(({ entry }) => itemOf(entry)));
  fillPractice();
};

const startSearch = () => {
  const input = document.getElementById('q');
  const found = document.getElementById('found');
  const [, list] = found.children;
  input.closest('[role=search]').hidden = false;
  input.addEventListener('focus', () => loadIndex().catch(() => {}), { once: true });
  input.addEventListener('input', () => search(input, found));
  input.addEventListener('keydown', async ({ key }) => {
    if (key !== 'Enter') return;
    await search(input, found);
    list.querySelector('a')?.click();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || found.hidden) return;
    found.hidden = true;
    input.focus();
  });
  found.addEventListener('click', ({ target }) => {
    if (target.closest('a')) found.hidden = true;
  });
};

rememberLanguage();
fillPractice();
startSearch();
followAnchor();
addEventListener('hashchange', followAnchor);
