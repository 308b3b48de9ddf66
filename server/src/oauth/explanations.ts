import { errors } from './library.js';

/** The library's internal error details, in words that tell a developer what to do next. */
const explanations: Record<string, string> = {
  'authorization code not found': 'The code is unknown or no longer valid. Start again at the authorization endpoint.',
  'authorization code is expired':
    'The code has expired: it lasts one minute. Start again at the authorization endpoint.',
  'authorization code already consumed': 'The code was used before. Start again at the authorization endpoint.',
  'authorization code redirect_uri mismatch': 'The redirect_uri is not the one in the authorization request.',
  'code_verifier must be provided': 'The parameter code_verifier is missing.',
  'code_verifier does not match code_challenge':
    'The code_verifier does not match: its SHA-256 hash, in base64url, must be the code_challenge of the authorization request.',
  'already used': 'It was used before. Start again at the authorization endpoint.',
  'refresh token not found':
    'The refresh token is unknown or no longer valid. Start again at the authorization endpoint.',
  'refresh token is expired': 'The refresh token has expired. Start again at the authorization endpoint.',
  'refresh token already used':
    'The refresh token was used before, and its grant has ended. Start again at the authorization endpoint.',
  'grant not found':
    'The grant has ended: the application was disconnected or the account was disabled. Start again at the authorization endpoint.',
  'client mismatch': 'It was issued to a different client.',
  'client not found': 'The client_id is unknown or disabled.',
  'invalid secret provided': 'The client_secret is wrong.',
  'the provided authentication mechanism does not match the registered client authentication method':
    'The client_secret is missing: send client_id and client_secret in the form.',
};

/** 429, for which OAuth has no error code. */
export function refreshedTooOften(retryAfterSeconds: number) {
  const description = 'This grant is refreshed too often: an access token lasts 15 minutes.';
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', description);
  return Object.assign(error, { status: 429, statusCode: 429, retryAfterSeconds });
}

export function explanationOf(error: unknown): string | undefined {
  const { error_detail: detail } = error as { error_detail?: string };
  return detail === undefined ? undefined : explanations[detail];
}
