import { createECDH, createHash } from 'node:crypto'
import type { RequestDetails } from 'web-push'
import type { App } from '../../program/app.ts'

/** Where a browser takes messages, and the keys with which they are encrypted for it alone. */
export type PushAddress = { endpoint: string; p256dh: string; auth: string }

type VapidKeys = { publicKey: string; privateKey: string }

// A phone that is off for longer hears of it on the dashboard.
const KEPT_BY_SERVICE_S = 4 * 3600
const CURVE = 'prime256v1'

// Loaded with the first message: few starts need it.
const library = async () => (await import('web-push')).default

/** The keys by which push services know this installation. They are those of the database, the same in every process. */
export function readVapidKeys({ vault }: Pick<App, 'vault'>): VapidKeys {
  const curve = createECDH(CURVE)
  // One number of 2^32 is none of the curve; the digest of it is another try.
  for (let key = vault.derive('web push key'); ; key = createHash('sha256').update(key).digest())
    try {
      curve.setPrivateKey(key)
      return { publicKey: curve.getPublicKey('base64url'), privateKey: key.toString('base64url') }
    } catch {}
}

/** Who answers for the messages, as push services want to know: the address of the dashboard, else the sender of our mails. */
function makeSubject({ baseUrl, config }: Pick<App, 'baseUrl' | 'config'>): string {
  if (baseUrl.startsWith('https://')) return baseUrl
  return `mailto:${/([^<\s]+@[^>\s]+)/.exec(config.mailFrom)?.[1] ?? config.mailFrom}`
}

/** Encrypts a message for a browser (RFC 8291) and signs the request with our key (RFC 8292). Opens no connection. */
export async function encryptMessage(
  app: App,
  { endpoint, p256dh, auth }: PushAddress,
  message: string,
): Promise<RequestDetails & { body: Buffer }> {
  const { generateRequestDetails } = await library()
  return generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
    vapidDetails: { subject: makeSubject(app), ...readVapidKeys(app) },
    TTL: KEPT_BY_SERVICE_S,
    urgency: 'high',
    contentEncoding: 'aes128gcm',
  })
}

/** Whether a message can be encrypted with these keys of a browser. */
export async function canEncryptFor({ p256dh, auth }: PushAddress): Promise<boolean> {
  const { encrypt } = await library()
  try {
    encrypt(p256dh, auth, 'a try', 'aes128gcm')
    return true
  } catch {
    return false
  }
}
