import type { Gateway } from '../app.ts'
import { type SharedAddressWindow, sharedAddressWindow } from '../rate-limits/shared-address-window.ts'

/** Windows of a minute that all processes share (reliability.md A70). */
type SignInLimits = {
  /** What one client address may try. */
  ofAddress: SharedAddressWindow
  /** What may be tried with one e-mail address by browsers that never signed in with it. */
  ofAccount: SharedAddressWindow
  /** New accounts of one client address. */
  signUps: SharedAddressWindow
  /** Mails with a link that somebody without a session can cause: for a client address and for the address they go to. */
  links: SharedAddressWindow
}

const made = new WeakMap<Gateway['directory'], SignInLimits>()

export function signInLimits(gateway: Gateway): SignInLimits {
  const known = made.get(gateway.directory)
  if (known) return known
  const limit = gateway.config.rateSignIn
  const { log } = gateway
  const shared = (what: string) =>
    sharedAddressWindow({ what, limit, counts: () => gateway.addressCounts, log })
  const limits = {
    ofAddress: shared('sign-ins of an address'),
    ofAccount: shared('sign-ins to an account'),
    signUps: shared('sign-ups'),
    links: shared('mailed links'),
  }
  made.set(gateway.directory, limits)
  return limits
}
