import { readFileSync } from 'node:fs';
import { asset } from './assets.ts';

const inter = new URL('.', import.meta.resolve('@fontsource-variable/inter/index.css'));
const sheet = readFileSync(new URL('index.css', inter), 'utf8');

/** Inter, in a file for each script: a browser loads those that a page has letters of. */
const fonts = new Map(
  [...sheet.matchAll(/\.\/files\/([\w-]+\.woff2)/g)].map(([file, name = '']) => [
    file,
    asset(name, readFileSync(new URL(file, inter))),
  ]),
);
/** A font that comes late is left out of this view, so that nothing jumps. */
const faces = sheet
  .replaceAll(/\.\/files\/[\w-]+\.woff2/g, (file) => fonts.get(file)?.path ?? file)
  .replaceAll('font-display: swap', 'font-display: optional');

/** What every page begins with: the font, our colors in light and dark, and the bar at the top. */
export const look = Buffer.concat([Buffer.from(faces), read('palette.css'), read('bar.css')]);

export const style = asset('style.css', Buffer.concat([look, read('style.css')]));
/** The letters of nearly every page. */
export const latin = fonts.get('./files/inter-latin-wght-normal.woff2')?.path ?? '';
export const lookAssets = [style, ...fonts.values()];

function read(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}
