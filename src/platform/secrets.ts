import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { assert } from './assert.ts'

/** What a ciphertext is bound to: two of them swapped between rows fail to open. */
export type Binding = { merchantId: number | null; purpose: string; column: string }

export type Vault = {
  /** AES-256-GCM with a random nonce; the row it belongs to is bound in. */
  seal(plain: string, binding: Binding): Buffer
  /** Throws when the ciphertext is of another key, another row, or was changed. */
  open(sealed: Buffer, binding: Binding): string
  /** A key for one purpose, derived from the master key. */
  derive(purpose: string): Buffer
}

const VERSION = 1
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES

/** The vault over MASTER_KEY (32 bytes, reliability.md section 8). */
export function openVault(masterKey: Buffer): Vault {
  assert(masterKey.length === 32, 'the master key has 32 bytes')
  const key = createHmac('sha256', masterKey).update('secrets at rest').digest()
  const keyId = createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES)
  const header = Buffer.concat([Buffer.from([VERSION]), keyId])
  return {
    seal(plain, binding) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(binding))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([header, nonce, cipher.getAuthTag(), body])
    },
    open(sealed, binding) {
      assert(
        sealed.subarray(0, HEADER_BYTES).equals(header),
        'the secret was sealed with the master key in use',
      )
      const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
      const tagEnd = HEADER_BYTES + NONCE_BYTES + TAG_BYTES
      const decipher = createDecipheriv('aes-256-gcm', key, nonce)
        .setAAD(boundTo(binding))
        .setAuthTag(sealed.subarray(tagEnd - TAG_BYTES, tagEnd))
      return decipher.update(sealed.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8')
    },
    derive: (purpose) => createHmac('sha256', masterKey).update(purpose).digest(),
  }
}

function boundTo({ merchantId, purpose, column }: Binding): Buffer {
  return Buffer.from(JSON.stringify([merchantId, purpose, column]))
}
