import type { Carrier } from '../../../domain/ports.ts';
import { httpCarrier } from '../http/http-carrier.ts';
import { mediaFetcher } from '../http/media.ts';
import { apiAddress, type Surroundings } from '../http/settings.ts';
import { verdictOf } from './codes.ts';
import { makeFind, makeLookUp, probe, submission } from './requests.ts';
import type { TelnyxSettings } from './settings.ts';

const apiUrl = 'https://api.telnyx.com/v2';

/** Texts by Telnyx's Messaging API, version 2. */
export function telnyxCarrier(name: string, settings: TelnyxSettings, surroundings: Surroundings): Carrier {
  const api = apiAddress(settings.apiUrl ?? apiUrl, surroundings);
  const { publicUrl } = surroundings;
  return httpCarrier(name, settings, surroundings, {
    api,
    question: submission(settings, api, { name, publicUrl }),
    verdict: verdictOf,
    probe: probe(settings, api),
    rest: (ask) => ({
      find: makeFind(settings, api, ask),
      lookUp: makeLookUp(settings, api, ask),
      // The addresses of its media are signed, so no credentials are needed.
      fetchMedia: mediaFetcher(surroundings, { api, headers: {} }),
    }),
  });
}
