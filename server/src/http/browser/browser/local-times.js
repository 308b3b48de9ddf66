// Times are sent in UTC: the server doesn't know where its reader is. The browser does.

const form = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

for (const time of document.querySelectorAll('time')) {
  time.title = time.textContent ?? '';
  time.textContent = form.format(new Date(time.dateTime));
}
