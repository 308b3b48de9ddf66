import type { Carrier } from '../../../domain/ports.ts';
import { httpCarrier } from '../http/http-carrier.ts';
import { mediaFetcher } from '../http/media.ts';
import { apiAddress, type Surroundings } from '../http/settings.ts';
import { verdictOf } from './codes.ts';
import { makeFind, makeLookUp, probe, submission } from './requests.ts';
import { credentialsOf, type TwilioSettings } from './settings.ts';

const apiUrl = 'https://api.twilio.com';
const lookupsUrl = 'https://lookups.twilio.com';

/** Texts by Twilio's Programmable Messaging. */
export function twilioCarrier(name: string, settings: TwilioSettings, surroundings: Surroundings): Carrier {
  const addresses = {
    api: apiAddress(settings.apiUrl ?? apiUrl, surroundings),
    lookups: apiAddress(settings.lookupsUrl ?? lookupsUrl, surroundings),
  };
  const { publicUrl } = surroundings;
  return httpCarrier(name, settings, surroundings, {
    api: addresses.api,
    question: submission(settings, addresses, { name, publicUrl }),
    verdict: verdictOf,
    probe: probe(settings, addresses),
    rest: (ask) => ({
      find: makeFind(settings, addresses, ask),
      lookUp: makeLookUp(settings, addresses, ask),
      fetchMedia: mediaFetcher(surroundings, { api: addresses.api, headers: credentialsOf(settings) }),
    }),
  });
}
