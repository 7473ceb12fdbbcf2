import { createHmac, hash } from 'node:crypto'
import { parseTagOfAnyPrefix } from '../platform/text/ids.ts'
import type { App } from '../program/app.ts'
import type { Channel } from './rail.ts'

type CallbackParts = Pick<App, 'vault' | 'rails'>

/**
 * Makes the path at which an operator calls back about one attempt, below the installation's callback address: the merchant's tag,
 * which every id carries, and the token. Null where no installation calls back.
 */
export const callbackPathFor = (
  app: CallbackParts,
  { id, reference, channel }: { id: string; reference: string; channel: string },
): string | null =>
  hasAttemptCallbacks(app, channel) ? `${parseTagOfAnyPrefix(id)}/${deriveToken(app.vault, reference)}` : null

/** Returns the digest by which an attempt is found from its token; null where no installation calls back. */
export const callbackDigestFor = (
  app: CallbackParts,
  { reference, channel }: { reference: string; channel: string },
): Buffer | null => (hasAttemptCallbacks(app, channel) ? digestCallbackToken(deriveToken(app.vault, reference)) : null)

/** Digests a token as it came in an address. */
export const digestCallbackToken = (token: string): Buffer => hash('sha256', token, 'buffer')

// The token is derived from the reference, so that a repeated post after a crash carries the same address.
const deriveToken = (vault: App['vault'], reference: string): string =>
  createHmac('sha256', vault.derive('rail callback tokens')).update(reference).digest('base64url')

/** Whether some installation of this rail calls back at an address for each attempt. */
const hasAttemptCallbacks = ({ rails }: Pick<App, 'rails'>, channel: string): boolean =>
  (Object.hasOwn(rails.live, channel) ? rails.live[channel as Channel] : undefined)?.installations.some(
    ({ callbacks }) => callbacks === 'each attempt',
  ) ?? false
