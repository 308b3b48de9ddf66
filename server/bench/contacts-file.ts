import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** Distinct people with most fields filled in. */
export async function writeContacts(path: string, count: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('First Name,Last Name,Email,Phone,Birthday,Address,City,State,Zip\n');
  for (let number = 0; number < count; number++) {
    const name = `${'Ann Bob Carla Dieter Émile Fatima Grace Hugo'.split(' ')[number % 8]},Number${number}`;
    const phone = `+1212${String(2_000_000 + number).padStart(7, '0')}`;
    const line = `${name},person${number}@mail.example,${phone},1961-07-14,${number} Main Street,Springfield,IL,62701\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}
