import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { assert } from './assert.ts'

/** The row and column to which a ciphertext is bound, so that a copy in another row fails to open. */
export type SecretBinding = { merchantId: number | null; purpose: string; column: string }

/** The purposes whose derived key must not change with MASTER_KEY, because what was made with the key cannot be made again. */
export const LASTING_PURPOSES = [
  'gift card codes',
  'checkout form tokens',
  'rail callback tokens',
  'dashboard form tokens',
  'verification digests',
  'password salts',
  'web push key',
] as const
export type LastingPurpose = (typeof LASTING_PURPOSES)[number]

export type Vault = {
  /** Encrypts with AES-256-GCM and a random nonce, under a key for this column, bound to the row. */
  seal(plain: string | Buffer, binding: SecretBinding): Buffer
  /** Decrypts to text. Throws when the ciphertext was sealed with an unknown key or for another row, or was changed. */
  open(sealed: Buffer, binding: SecretBinding): string
  /** Decrypts like `open`, to bytes. */
  openBytes(sealed: Buffer, binding: SecretBinding): Buffer
  /** Returns the key of a purpose, which stays the same when the master key changes. */
  derive(purpose: LastingPurpose): Buffer
  /** The first bytes of every ciphertext sealed now; a ciphertext with other first bytes has an older key or format. */
  readonly header: Buffer
}

/** `readable`: further master keys whose ciphertexts can be opened. `lasting`: the derived keys that the database stores. */
type VaultOptions = {
  readable?: readonly Buffer[]
  lasting?: ReadonlyMap<LastingPurpose, Buffer>
}

// Version 1 used one key for all columns; its ciphertexts can still be opened.
const VERSION = 2
const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES

type MasterKey = { id: Buffer; keyFor(version: number, column: string): Buffer | null }

/** Opens the vault over MASTER_KEY (32 bytes, reliability.md section 8). The header of a ciphertext says which key opens it. */
export function openVault(masterKey: Buffer, { readable = [], lasting }: VaultOptions = {}): Vault {
  const current = makeMasterKey(masterKey)
  const known = [current, ...readable.map(makeMasterKey)]
  const header = Buffer.concat([Buffer.from([VERSION]), current.id])
  const openBytes: Vault['openBytes'] = (sealed, binding) => {
    const id = sealed.subarray(1, HEADER_BYTES)
    const key = known.find((masterKey) => masterKey.id.equals(id))?.keyFor(sealed[0] ?? 0, binding.column)
    assert(key, 'the secret was sealed with a master key that is at hand')
    const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
    const tagEnd = HEADER_BYTES + NONCE_BYTES + TAG_BYTES
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
      .setAAD(writeBinding(binding))
      .setAuthTag(sealed.subarray(tagEnd - TAG_BYTES, tagEnd))
    return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()])
  }
  return {
    header,
    seal(plain, binding) {
      const nonce = randomBytes(NONCE_BYTES)
      const key = current.keyFor(VERSION, binding.column)
      assert(key, 'today there is a key for every column')
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(writeBinding(binding))
      const bytes = typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain
      const body = [cipher.update(bytes), cipher.final()]
      return Buffer.concat([header, nonce, cipher.getAuthTag(), ...body])
    },
    open: (sealed, binding) => openBytes(sealed, binding).toString('utf8'),
    openBytes,
    derive: (purpose) => lasting?.get(purpose) ?? deriveLasting(masterKey, purpose),
  }
}

/**
 * Returns a text that tells master keys apart and reveals nothing of one: what stands beside a backup says with it which key opens the secrets in
 * the backup.
 */
export const fingerprintMasterKey = (masterKey: Buffer): string =>
  createHash('sha256').update(createHmac('sha256', masterKey).update('fingerprint').digest()).digest('hex')

/** Derives the key of a purpose from this master key, before the database stores it. */
export const deriveLasting = (masterKey: Buffer, purpose: LastingPurpose): Buffer =>
  createHmac('sha256', masterKey).update(purpose).digest()

function makeMasterKey(master: Buffer): MasterKey {
  assert(master.length === 32, 'the master key has 32 bytes')
  const forAll = createHmac('sha256', master).update('secrets at rest').digest()
  const id = createHash('sha256').update(forAll).digest().subarray(0, KEY_ID_BYTES)
  const byColumn = new Map<string, Buffer>()
  const forColumn = (column: string) => {
    const key = byColumn.get(column) ?? createHmac('sha256', master).update(`secrets at rest: ${column}`).digest()
    byColumn.set(column, key)
    return key
  }
  const keyFor = (version: number, column: string) => {
    if (version === 1) return forAll
    return version === VERSION ? forColumn(column) : null
  }
  return { id, keyFor }
}

function writeBinding({ merchantId, purpose, column }: SecretBinding): Buffer {
  return Buffer.from(JSON.stringify([merchantId, purpose, column]))
}
