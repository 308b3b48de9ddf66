/** Which page of the console does what a verb does. A test goes through all verbs, and through the console's routes. */
const verbsOfPages: Record<string, string[]> = {
  '/overview': ['archive status'],
  '/reviews': [
    'reviews list',
    'reviews show',
    'reviews approve',
    'reviews reject',
    'reviews note',
    'reviews assign',
    'reviews escalate',
  ],
  '/traffic': ['status'],
  '/carriers': [
    'carriers add',
    'carriers list',
    'carriers set',
    'carriers remove',
    'carriers status',
    'numbers add',
    'numbers list',
    'numbers set',
    'numbers release',
    'numbers check',
  ],
  '/firms': ['firms add', 'firms list', 'firms set'],
  '/advisors': ['advisors add', 'advisors invite', 'advisors list', 'advisors show', 'advisors set'],
  '/applications': [
    'applications add',
    'applications list',
    'applications set',
    'applications rotate-secret',
    'applications provision',
    'applications unprovision',
    'applications disconnect',
    'applications disable',
    'keys issue',
    'keys list',
    'keys set-plan',
    'keys revoke',
    'signing-keys rotate',
    'signing-keys list',
  ],
  '/webhooks': [
    'webhooks add',
    'webhooks list',
    'webhooks remove',
    'webhooks test',
    'webhooks deliveries',
    'webhooks redeliver',
    'webhooks rotate',
    'webhooks disable',
    'webhooks enable',
  ],
  '/doctor': ['doctor'],
  '/consent': ['consents show'],
  '/lexicon': ['lexicons show', 'lexicons set', 'lexicons test'],
  '/exports': ['archive export'],
  '/report': ['reviews report'],
  '/wordings': ['wordings list', 'wordings set'],
  '/holds': ['holds add', 'holds list', 'holds lift', 'retention show', 'retention set'],
  '/staff': ['staff add', 'staff invite', 'staff list', 'staff set'],
};

const verbsWithout: Record<string, string[]> = {
  'about a machine or a terminal': ['serve', 'migrate', 'completion', 'secrets reseal'],
  'for those who build on the API': ['token', 'example', 'logs', 'listen', 'trigger'],
  'on the sandbox’s own pages': ['sandbox reset', 'sandbox seed'],
  'the page adds and removes instead': ['webhooks set'],
  'in the advisor’s app, or for scripts': [
    'contacts import',
    'contacts export',
    'contacts duplicates',
    'contacts merge',
  ],
  'reads files or another system': [
    'content import',
    'content sync',
    'crm connect',
    'crm list',
    'crm show',
    'crm sync',
    'crm findings',
    'crm disconnect',
  ],
  'operators see no texts there': ['texts tail'],
  'after a restore, at the machine': ['texts set-aside', 'archive trust'],
  'needs the archive’s key or copies': ['archive verify', 'archive copy', 'archive public-key'],
  'takes evidence from elsewhere': ['consents record', 'consents opt-out'],
  'decided once': ['reviews sample'],
  'done every day': ['archive dispose', 'archive reconcile'],
};

/** The page of a verb, or why it has none; null if nobody has decided. */
export function pageOf(verb: string): { page: string } | { without: string } | null {
  for (const [page, verbs] of Object.entries(verbsOfPages)) if (verbs.includes(verb)) return { page };
  for (const [without, verbs] of Object.entries(verbsWithout)) if (verbs.includes(verb)) return { without };
  return null;
}

/** In the order of the navigation. */
export const pagesOfVerbs: readonly (readonly [page: string, verbs: readonly string[]])[] =
  Object.entries(verbsOfPages);
export const verbsWithoutPage: readonly (readonly [why: string, verbs: readonly string[]])[] =
  Object.entries(verbsWithout);
