// Optional improvements of the pages, all of which work without scripts.

const language = document.documentElement.lang;
/** The formats of the server, which are those of `LOCALES`. */
const locale = language === 'en' ? 'en-GB' : language;

/** Shows times in the reader's time zone. In lists, shows relative times with the exact time as tooltip. */
function showTimes() {
  // The styles `medium` and `short` have no zone, which two readers of one page need to agree on a time.
  const local = new Intl.DateTimeFormat(locale, {
    ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...{ hourCycle: 'h23', timeZoneName: 'short' },
  });
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
  for (const time of document.querySelectorAll('time[data-as]')) {
    const date = new Date(time.dateTime);
    if (time.dataset.as === 'ago') {
      time.dataset.exact ??= time.title;
      time.title = `${exact.format(date)} · ${time.dataset.exact}`;
      time.textContent = ago(date.getTime()) ?? local.format(date);
    } else time.textContent = local.format(date);
  }
}

const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const STEPS = [
  [60, 1, 'second'],
  [3_600, 60, 'minute'],
  [86_400, 3_600, 'hour'],
  [604_800, 86_400, 'day'],
];

function ago(epochMs) {
  const seconds = (epochMs - Date.now()) / 1000;
  const step = STEPS.find(([below]) => Math.abs(seconds) < below);
  return step && relative.format(Math.round(seconds / step[1]), step[2]);
}

showTimes();
setInterval(showTimes, 30_000);
// `live.js` has put new times on the page.
document.addEventListener('live-update', showTimes);

/** A link to share goes to the dialog of the device, or into the clipboard. Elsewhere it is the address of the page. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('[data-share]') : null;
  const share = link === null ? undefined : navigator.share ? shareByDevice : navigator.clipboard && copyAddress;
  if (!share) return;
  event.preventDefault();
  void share(link);
});

/** Rejects when the reader closes the dialog. */
const shareByDevice = ({ href }) => navigator.share({ title: document.title, url: href }).catch(() => undefined);

async function copyAddress(link) {
  await navigator.clipboard.writeText(link.href);
  const { textContent } = link;
  link.textContent = link.dataset.copied;
  setTimeout(() => (link.textContent = textContent), 2_000);
}

/** The key "/" moves the focus to the search field. */
document.addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  document.querySelector('.big-find input, .find input')?.focus();
});
