import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { App } from '../program/app.ts'
import type { Channel } from './rail.ts'

type CallbackParts = Pick<App, 'vault' | 'rails'>

/**
 * Makes the path at which an operator calls back about one attempt, below the installation's callback address: the id of the movement,
 * by which the attempt is found, and the token. Null where no installation calls back.
 */
export const callbackPathFor = (
  app: CallbackParts,
  { id, reference, channel }: { id: string; reference: string; channel: string },
): string | null => (hasAttemptCallbacks(app, channel) ? `${id}/${deriveToken(app.vault, reference)}` : null)

/** Returns the digest of an attempt's token, which is stored with it; null where no installation calls back. */
export const callbackDigestFor = (
  app: CallbackParts,
  { reference, channel }: { reference: string; channel: string },
): Buffer | null => (hasAttemptCallbacks(app, channel) ? digestCallbackToken(deriveToken(app.vault, reference)) : null)

/** Digests a token as it came in an address. */
export const digestCallbackToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Whether two digests are the same, in a time that does not tell where they differ. False where the attempt has none. */
export const isSameDigest = (digest: Buffer, stored: Buffer | null): boolean =>
  stored?.length === digest.length && timingSafeEqual(stored, digest)

// The token is derived from the reference, so that a repeated post after a crash carries the same address.
const deriveToken = (vault: App['vault'], reference: string): string =>
  createHmac('sha256', vault.derive('rail callback tokens')).update(reference).digest('base64url')

/** Whether some installation of this rail calls back at an address for each attempt. */
const hasAttemptCallbacks = ({ rails }: Pick<App, 'rails'>, channel: string): boolean =>
  (Object.hasOwn(rails.live, channel) ? rails.live[channel as Channel] : undefined)?.installations.some(
    ({ callbacks }) => callbacks === 'each attempt',
  ) ?? false
