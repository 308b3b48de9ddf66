// The link of an invitation has the email and the code after the hash sign, which no browser sends to a server. They go into
// the form, and out of the address bar and the history.

const given = new URLSearchParams(window.location.hash.slice(1));
const [email, code] = ['email', 'code'].map((name) => document.getElementById(name));

if (email instanceof HTMLInputElement && code instanceof HTMLInputElement) {
  if (given.has('code')) {
    code.value = given.get('code') ?? '';
    email.value = given.get('email') ?? '';
    email.readOnly = true;
    document.getElementById('password')?.focus();
    window.history.replaceState(null, '', window.location.pathname);
  }
  // Nobody has to see it, unless they have to type it.
  const field = code.closest('.field');
  if (field instanceof HTMLElement) field.hidden = code.value !== '';
}
