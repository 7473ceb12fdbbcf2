import { createPublicKey } from 'node:crypto'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { echo } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import { type KeyTarget, restrictKey } from './restrict-key.ts'

const SET_SIGNERS = statement(
  'set signers of key',
  `update api_keys set signed_by = (select array_agg(decode(n.key, 'base64') order by n.nth)
     from unnest($3::text[]) with ordinality as n (key, nth))
   where merchant_id = $1 and id = $2`,
)

// Two are enough to change from one to the next without a gap; each request is checked against both.
const MAX_SIGNERS = 2
const KEY_BYTES = 32
const PEM = /-----BEGIN ([A-Z ]+)-----[^-]*-----END [A-Z ]+-----/g

/**
 * Says whose signature each request with a key needs: one of these Ed25519 public keys; none: no request needs one. From the commit on, in
 * all processes within a second. `text`: keys as PEM, or of 32 bytes in base64 with space between. Returns them as they are stored. Throws
 * Refusal.
 */
export async function setKeySigners(
  app: App,
  actor: Actor,
  { holder, id, text }: KeyTarget & { text: string },
): Promise<string[]> {
  allow(actor, 'key.restrict', holder.id)
  const after = parsePublicKeys(text)
  const set = call(SET_SIGNERS, holder.id, id, after)
  await restrictKey(app, actor, { holder, id }, { name: 'signed_by', after, set, mail: 'key-signers' })
  return after
}

function parsePublicKeys(text: string): string[] {
  const pems = text.match(PEM) ?? []
  const bare = text.replaceAll(PEM, ' ').split(/[\s,]+/)
  const keys = [...new Set([...pems.map(parsePem), ...bare.filter((word) => word !== '').map(parseBase64)])]
  if (keys.length > MAX_SIGNERS) throw invalidRequest(`public_keys may be at most ${MAX_SIGNERS}`, 'public_keys')
  return keys
}

function parsePem(pem: string): string {
  if (pem.includes('PRIVATE'))
    throw invalidRequest(
      'public_keys: this is a private key, which nobody else should ever see: make a new pair, and give its public key',
      'public_keys',
    )
  try {
    const { kty, crv, x } = createPublicKey(pem).export({ format: 'jwk' })
    if (kty === 'OKP' && crv === 'Ed25519') return Buffer.from(String(x), 'base64url').toString('base64')
  } catch {
    // Whatever it is, it is no key of this kind.
  }
  throw noPublicKey('a PEM block')
}

function parseBase64(word: string): string {
  const bytes = Buffer.from(word, 'base64')
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== word) throw noPublicKey(echo(word))
  return word
}

const noPublicKey = (what: string) =>
  invalidRequest(
    `public_keys must be Ed25519 public keys as PEM, or their 32 bytes in base64: ${what} is none`,
    'public_keys',
  )
