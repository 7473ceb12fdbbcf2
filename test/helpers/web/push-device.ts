import { createECDH, randomBytes } from 'node:crypto'

/** What a page sends of a browser that takes messages at this address. */
export const browserAt = (endpoint: string) => ({
  endpoint,
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
})
