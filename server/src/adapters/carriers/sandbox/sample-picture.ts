import type { FetchedMedia } from '../../../domain/ports.ts';

/** A picture that needs no network: 32 by 32 pixels, green and yellow squares. */
export const samplePicture: FetchedMedia = {
  contentType: 'image/png',
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAABlBMVEUvb0/0014fg5f4AAAAHklEQVR42mNggAJGKMDFH+4KRrr/0cFoehhND0AAACRcAgFVDy4cAAAAAElFTkSuQmCC',
    'base64',
  ),
};
