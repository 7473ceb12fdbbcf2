import { Secret, TOTP } from 'otpauth'
import type { TestService } from '../service/test-service.ts'

/** The code that an authenticator app with this secret shows now, or so many milliseconds later. */
export const codeOf = (service: TestService, secret: string, aheadMs = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.clock.nowMs() + aheadMs })

/** The secret in an `otpauth://` address that a page shows as text. */
export function secretIn(text: string): string {
  const [, secret] = /otpauth:\/\/totp\/[^\s"<]*[?&](?:amp;)?secret=([A-Z2-7]+)/.exec(text) ?? []
  if (secret === undefined) throw new Error('the page shows no address for an authenticator')
  return secret
}
