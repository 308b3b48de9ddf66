import { fold } from '../shared/text/folding.ts';

/**
 * US states and territories and Canadian provinces, each with all of its time zones. One zone represents all that have
 * the same clock (Denver for Boise, Chicago for Menominee), under the same names as in `area-codes.ts`.
 */
export const states: [code: string, name: string, ...zones: string[]][] = [
  ['AL', 'Alabama', 'America/Chicago'],
  ['AK', 'Alaska', 'America/Anchorage', 'America/Adak'],
  ['AZ', 'Arizona', 'America/Phoenix', 'America/Denver'],
  ['AR', 'Arkansas', 'America/Chicago'],
  ['CA', 'California', 'America/Los_Angeles'],
  ['CO', 'Colorado', 'America/Denver'],
  ['CT', 'Connecticut', 'America/New_York'],
  ['DE', 'Delaware', 'America/New_York'],
  ['DC', 'District of Columbia', 'America/New_York'],
  ['DC', 'Washington D.C.', 'America/New_York'],
  ['FL', 'Florida', 'America/New_York', 'America/Chicago'],
  ['GA', 'Georgia', 'America/New_York'],
  ['HI', 'Hawaii', 'Pacific/Honolulu'],
  ['ID', 'Idaho', 'America/Denver', 'America/Los_Angeles'],
  ['IL', 'Illinois', 'America/Chicago'],
  ['IN', 'Indiana', 'America/New_York', 'America/Chicago'],
  ['IA', 'Iowa', 'America/Chicago'],
  ['KS', 'Kansas', 'America/Chicago', 'America/Denver'],
  ['KY', 'Kentucky', 'America/New_York', 'America/Chicago'],
  ['LA', 'Louisiana', 'America/Chicago'],
  ['ME', 'Maine', 'America/New_York'],
  ['MD', 'Maryland', 'America/New_York'],
  ['MA', 'Massachusetts', 'America/New_York'],
  ['MI', 'Michigan', 'America/New_York', 'America/Chicago'],
  ['MN', 'Minnesota', 'America/Chicago'],
  ['MS', 'Mississippi', 'America/Chicago'],
  ['MO', 'Missouri', 'America/Chicago'],
  ['MT', 'Montana', 'America/Denver'],
  ['NE', 'Nebraska', 'America/Chicago', 'America/Denver'],
  ['NV', 'Nevada', 'America/Los_Angeles', 'America/Denver'],
  ['NH', 'New Hampshire', 'America/New_York'],
  ['NJ', 'New Jersey', 'America/New_York'],
  ['NM', 'New Mexico', 'America/Denver'],
  ['NY', 'New York', 'America/New_York'],
  ['NC', 'North Carolina', 'America/New_York'],
  ['ND', 'North Dakota', 'America/Chicago', 'America/Denver'],
  ['OH', 'Ohio', 'America/New_York'],
  ['OK', 'Oklahoma', 'America/Chicago'],
  ['OR', 'Oregon', 'America/Los_Angeles', 'America/Denver'],
  ['PA', 'Pennsylvania', 'America/New_York'],
  ['RI', 'Rhode Island', 'America/New_York'],
  ['SC', 'South Carolina', 'America/New_York'],
  ['SD', 'South Dakota', 'America/Chicago', 'America/Denver'],
  ['TN', 'Tennessee', 'America/Chicago', 'America/New_York'],
  ['TX', 'Texas', 'America/Chicago', 'America/Denver'],
  ['UT', 'Utah', 'America/Denver'],
  ['VT', 'Vermont', 'America/New_York'],
  ['VA', 'Virginia', 'America/New_York'],
  ['WA', 'Washington', 'America/Los_Angeles'],
  ['WA', 'Washington State', 'America/Los_Angeles'],
  ['WV', 'West Virginia', 'America/New_York'],
  ['WI', 'Wisconsin', 'America/Chicago'],
  ['WY', 'Wyoming', 'America/Denver'],

  ['AS', 'American Samoa', 'Pacific/Pago_Pago'],
  ['GU', 'Guam', 'Pacific/Guam'],
  ['MP', 'Northern Mariana Islands', 'Pacific/Saipan'],
  ['PR', 'Puerto Rico', 'America/Puerto_Rico'],
  ['VI', 'Virgin Islands', 'America/St_Thomas'],
  ['VI', 'U.S. Virgin Islands', 'America/St_Thomas'],

  ['AB', 'Alberta', 'America/Edmonton'],
  ['BC', 'British Columbia', 'America/Vancouver', 'America/Edmonton'],
  ['MB', 'Manitoba', 'America/Winnipeg'],
  ['NB', 'New Brunswick', 'America/Halifax'],
  ['NL', 'Newfoundland and Labrador', 'America/St_Johns', 'America/Halifax'],
  ['NS', 'Nova Scotia', 'America/Halifax'],
  ['NT', 'Northwest Territories', 'America/Edmonton', 'America/Inuvik'],
  ['NU', 'Nunavut', 'America/Toronto', 'America/Winnipeg', 'America/Inuvik'],
  ['ON', 'Ontario', 'America/Toronto', 'America/Winnipeg'],
  ['PE', 'Prince Edward Island', 'America/Halifax'],
  ['QC', 'Quebec', 'America/Toronto', 'America/Halifax'],
  ['SK', 'Saskatchewan', 'America/Regina', 'America/Edmonton'],
  ['YT', 'Yukon', 'America/Whitehorse'],
];
const zonesByState = new Map(
  states.flatMap(([code, name, ...zones]) => [code, name].map((each) => [key(each), zones])),
);

/** A state's zones, by its code or name in any spelling ("TX", "texas", "N.Y.", "Québec"). */
export function zonesOfState(state: string): string[] | undefined {
  return zonesByState.get(key(state));
}

function key(state: string): string {
  return fold(state).replace(/[^a-z]/g, '');
}
