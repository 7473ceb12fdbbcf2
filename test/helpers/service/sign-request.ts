import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { httpbis } from 'http-message-signatures'

/** A key pair of a merchant's server: what it gives us, and what it keeps. */
export type SigningPair = { publicKey: string; pem: string; privateKey: KeyObject }

export function newSigningPair(): SigningPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x } = publicKey.export({ format: 'jwk' })
  return {
    publicKey: Buffer.from(String(x), 'base64url').toString('base64'),
    pem: String(publicKey.export({ format: 'pem', type: 'spki' })),
    privateKey,
  }
}

/** A request as its sender writes it. `body`: the text that is sent. */
export type Unsigned = { method: 'GET' | 'POST'; url: string; headers: Record<string, string>; body?: string }
type SignOptions = {
  privateKey: KeyObject
  fields?: readonly string[]
  created: Date
  expires?: Date
  alg?: string
  params?: readonly string[]
}

export const GET_FIELDS = ['@method', '@path', '@query']
const POST_FIELDS = [...GET_FIELDS, 'content-digest', 'x-timestamp', 'idempotency-key']

export const digestOfBody = (body: string, name: 'sha-256' | 'sha-512' = 'sha-256') =>
  `${name}=:${createHash(name.replace('-', '')).update(body).digest('base64')}:`

/** The headers of this request with a signature, made by a library that is not the one that checks it. */
export async function signRequest(
  { method, url, headers, body = '' }: Unsigned,
  { privateKey, fields, created, expires, alg = 'ed25519', params = ['created', 'keyid', 'alg'] }: SignOptions,
): Promise<Record<string, string>> {
  const digest: Record<string, string> =
    method === 'POST' && !('content-digest' in headers) ? { 'content-digest': digestOfBody(body) } : {}
  const { headers: signed } = await httpbis.signMessage(
    {
      key: { id: 'server-1', alg, sign: async (data: Buffer) => sign(null, data, privateKey) },
      fields: [...(fields ?? (method === 'POST' ? POST_FIELDS : GET_FIELDS))],
      params: [...params, ...(expires === undefined ? [] : ['expires'])],
      paramValues: { created, ...(expires === undefined ? {} : { expires }) },
    },
    { method, url, headers: { ...headers, ...digest } },
  )
  return signed as Record<string, string>
}
