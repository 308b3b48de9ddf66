import { CallFailed } from '../../api/http.ts';

/** Whoever gives somebody access must have signed in just now. If they haven't, they do, and come back. */
export async function afterSignIn(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof CallFailed && error.status === 403 && error.message.startsWith('Sign in again'))
      location.assign('/console/sign-in?again=yes&next=/console/staff');
    throw error;
  }
}
