import { createHmac, hash } from 'node:crypto'
import type { App } from '../app.ts'
import { tagIn } from '../platform/ids.ts'
import type { Channel } from './rail.ts'

type Calls = Pick<App, 'vault' | 'rails'>

/**
 * Where an operator calls back about one attempt, below the contract's own address: the merchant's tag, which every id carries,
 * and the token. Null where no contract calls back.
 */
export const callbackPathFor = (
  app: Calls,
  { id, reference, channel }: { id: string; reference: string; channel: string },
): string | null => (callsBack(app, channel) ? `${tagIn(id)}/${tokenOf(app.vault, reference)}` : null)

/** The digest under which the token of a reference is found again, or null. */
export const callbackDigestFor = (
  app: Calls,
  { reference, channel }: { reference: string; channel: string },
): Buffer | null => (callsBack(app, channel) ? digestOf(tokenOf(app.vault, reference)) : null)

/** The digest of a token as it came in an address. */
export const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer')

// It follows from the reference, so that a repeated post after a crash carries the same address.
const tokenOf = (vault: App['vault'], reference: string): string =>
  createHmac('sha256', vault.derive('rail callback tokens')).update(reference).digest('base64url')

/** Whether some contract of this rail calls back at an address of each attempt. */
const callsBack = ({ rails }: Pick<App, 'rails'>, channel: string): boolean =>
  (Object.hasOwn(rails.live, channel) ? rails.live[channel as Channel] : undefined)?.installations.some(
    ({ callbacks }) => callbacks === 'each attempt',
  ) ?? false
