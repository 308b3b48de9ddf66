import type { Conversation } from '../api/types.ts';
import { phoneWords } from '../words/people.ts';

const setting = 'notifications';

export function areOn(): boolean {
  return 'Notification' in window && Notification.permission === 'granted' && localStorage.getItem(setting) === 'on';
}

/** Asks the browser's user the first time; false if they refuse, or their browser does. */
export async function turnOn(): Promise<boolean> {
  if (!('Notification' in window) || (await Notification.requestPermission()) !== 'granted') return false;
  try {
    // Shown to the user, and proof that it works: some phones grant the permission and then refuse a page's notifications.
    new Notification('You’ll be told here of new texts', { tag: 'on', icon: '/icon.svg', silent: true });
  } catch {
    return false;
  }
  localStorage.setItem(setting, 'on');
  return true;
}

export function turnOff(): void {
  localStorage.removeItem(setting);
}

/** Who wrote, and not what: a lock screen has other readers. */
export function notify({ memberId, name, phone }: Conversation): void {
  if (!areOn()) return;
  const shown = new Notification(`New text from ${name ?? phoneWords(phone)}`, {
    tag: `member-${memberId}`,
    icon: '/icon.svg',
  });
  shown.onclick = () => {
    window.focus();
    location.assign(`/app/c/${memberId}`);
  };
}
