import { errors } from './library.js';

export type OAuthError = { error: string; error_description?: string; scope?: string };

const startAgain = 'Start again at the authorization endpoint.';
const challengeForm = 'The code_challenge must be a base64url-encoded SHA-256 hash: 43 characters.';
const verifierForm = 'The code_verifier must have 43 to 128 characters (letters, digits, - . _ and ~).';
const basicForm =
  'The Authorization header must be Basic, with the client_id and the client_secret form-encoded, joined by a colon and encoded in base64.';
const oneWay = 'Send the client_secret once: in the form, or in the Authorization header.';
const expired = 'The request has expired, or it was started in a different browser.';

/** The library's internal details, in words that tell a developer what to do next. */
const details: Record<string, string> = {
  'authorization code not found': `The code is unknown or no longer valid. ${startAgain}`,
  'authorization code is expired': `The code has expired: it lasts one minute. ${startAgain}`,
  'authorization code already consumed': `The code was used before, and its tokens have ended. ${startAgain}`,
  'authorization code redirect_uri mismatch': 'The redirect_uri is not the one in the authorization request.',
  'code_verifier must be provided': 'The parameter code_verifier is missing.',
  'code_verifier does not match code_challenge':
    'The code_verifier does not match: its SHA-256 hash, in base64url, must be the code_challenge of the authorization request.',
  'already used': `The code or refresh token was used before. ${startAgain}`,
  'refresh token not found': `The refresh token is unknown or no longer valid. ${startAgain}`,
  'refresh token is expired': `The refresh token has expired. ${startAgain}`,
  'refresh token already used': `The refresh token was used before, and its grant has ended. ${startAgain}`,
  'grant not found': `The grant has ended: the application was disconnected or the account was disabled. ${startAgain}`,
  'client mismatch': 'The code or refresh token was issued to a different client.',
  'client not found': 'The client_id is unknown or disabled.',
  'invalid secret provided': 'The client_secret is wrong.',
  'the provided authentication mechanism does not match the registered client authentication method':
    'The client_secret is missing: send client_id and client_secret in the form, or by HTTP Basic.',
};

/** What the library would say in public. It names the mistake; these also say what is right. */
const descriptions: Record<string, string> = {
  'unsupported response_type requested': 'The response_type must be code.',
  'unsupported response_mode requested': 'The response_mode must be query, or left out.',
  'requested response_mode is not allowed for this client or request': 'The response_mode must be query, or left out.',
  'code_challenge must be provided with code_challenge_method': 'The parameter code_challenge is missing.',
  'code_challenge_method must be provided': 'The parameter code_challenge_method is missing: it must be S256.',
  'not supported value of code_challenge_method': 'The code_challenge_method must be S256.',
  'Authorization Server policy requires PKCE to be used for this request':
    'The parameters code_challenge and code_challenge_method are missing.',
  'code_challenge must be a string with a minimum length of 43 characters': challengeForm,
  'code_challenge must be a string with a maximum length of 128 characters': challengeForm,
  'code_challenge contains invalid characters': challengeForm,
  'code_verifier must be a string with a minimum length of 43 characters': verifierForm,
  'code_verifier must be a string with a maximum length of 128 characters': verifierForm,
  'code_verifier contains invalid characters': verifierForm,
  'scope contains invalid characters': 'The scope must be names of scopes with one space between them.',
  'unsupported prompt value requested': 'The prompt must be consent or login, or left out.',
  'prompt none must only be used alone': 'The prompt must be consent or login, or left out.',
  'invalid max_age parameter value': 'The max_age must be a whole number of seconds.',
  'could not validate id_token_hint': 'The id_token_hint is not an ID token of this server.',
  'resource indicator is missing, or unknown': 'The only resource is the API itself.',
  'unsupported grant_type requested': 'The grant_type must be authorization_code, refresh_token or client_credentials.',
  'requested grant type is not allowed for this client':
    'This application has no redirect URI, so its only grant_type is client_credentials.',
  'client authentication must only be provided using one mechanism': oneWay,
  'client_assertion_type must be provided': oneWay,
  'invalid client_assertion format': oneWay,
  'client_id mismatch': 'The client_id in the form is not the one in the Authorization header.',
  'invalid authorization header value format': basicForm,
  'client_id and client_secret in the authorization header are not properly encoded': basicForm,
  'client_secret must be provided in the Authorization header': basicForm,
  'authorization request has expired': expired,
  'interaction session not found': expired,
  'authorization session and cookie identifier mismatch': expired,
  'interaction session and authentication session mismatch': expired,
};

const undescribed: Record<string, string> = {
  request_not_supported: 'The parameter request is not supported: send its parameters themselves.',
  request_uri_not_supported: 'The parameter request_uri is not supported: send its parameters themselves.',
  registration_not_supported: 'The parameter registration is not supported.',
};

/** 429, for which OAuth has no error code. */
export function refreshedTooOften(retryAfterSeconds: number) {
  const description = 'This grant is refreshed too often: an access token lasts 15 minutes.';
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', description);
  return Object.assign(error, { status: 429, statusCode: 429, retryAfterSeconds });
}

/** The mistake, and what would be right. `cause` is the library's own error, if it is known. */
export function explain({ error, error_description: given = '', scope }: OAuthError, cause?: unknown): string {
  const { error_detail: detail = '' } = (cause ?? {}) as { error_detail?: string };
  return (
    details[detail] ?? descriptions[given] ?? ofScope(given, scope) ?? ofParameters(given) ?? inWords(error, given)
  );
}

function ofScope(given: string, scope: string | undefined): string | undefined {
  if (given === 'requested scope is not allowed')
    return `The scope ${scope} is not provisioned for this application: ask the operator.`;
  if (given.startsWith('refresh token missing requested scope'))
    return `The refresh token was not granted ${scope}. Leave it out, or start again at the authorization endpoint.`;
  return undefined;
}

/** The library quotes the names: missing required parameters 'code' and 'redirect_uri'. */
function ofParameters(given: string): string | undefined {
  const names = [...given.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? '');
  const [who, verb] = names.length === 1 ? ['parameter', 'is'] : ['parameters', 'are'];
  const list = new Intl.ListFormat('en').format(names);
  if (given.startsWith('missing required parameter')) return `The ${who} ${list} ${verb} missing.`;
  if (given.endsWith('must not be provided twice')) return `The ${who} ${list} ${verb} there twice: send each once.`;
  return undefined;
}

function inWords(error: string, given: string): string {
  const text = given || undescribed[error] || 'The request is not complete.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
