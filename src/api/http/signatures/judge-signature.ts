import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Dictionary, type InnerList, type Item, isInnerList, parseDictionary } from 'structured-headers'
import { Refusal } from '../../../platform/refusal.ts'
import { echo } from '../../../platform/text/text.ts'
import { MAX_AGE_S, MAX_AHEAD_S } from '../guards.ts'
import { buildSignatureBase, coveredNames } from './signature-base.ts'

/** The answer to a request that is not signed as its key requires. */
const UNSIGNED = { status: 401, code: 'invalid_signature' } as const

// Enough for a gateway in between that signs as well. Each costs a check of a tenth of a millisecond with each public key.
const MAX_SIGNATURES = 3
const SIGNATURE_BYTES = 64
const NO_BYTES = Buffer.alloc(0)
const SPKI_OF_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

const refuseSignature = (why: string): Refusal =>
  new Refusal(UNSIGNED.status, UNSIGNED.code, `this API key takes signed requests only: ${why}`)

/** An Ed25519 public key of 32 bytes. */
export const readPublicKey = (bytes: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_OF_ED25519, bytes]), format: 'der', type: 'spki' })

/**
 * Refuses a request that none of these public keys has signed: its method, its target, and what moves money or is sent beside it (spec 7.1).
 * The body is judged by its digest once it has come (`judgeDigest`).
 */
export function judgeSignature(
  request: FastifyRequest,
  publicKeys: readonly KeyObject[],
  nowMs: number,
): Refusal | null {
  try {
    const [inputs, signatures] = [readField(request, 'signature-input'), readField(request, 'signature')]
    if (inputs.size > MAX_SIGNATURES) throw new Error(`at most ${MAX_SIGNATURES} signatures are read`)
    const faults: string[] = []
    for (const [label, input] of inputs) {
      const fault = findFault(request, { input, signature: signatures.get(label), publicKeys, nowMs })
      if (fault === null) return null
      faults.push(fault)
    }
    return refuseSignature(faults[0] ?? 'Signature-Input has none')
  } catch (error) {
    return refuseSignature((error as Error).message)
  }
}

type Signed = {
  input: Item | InnerList
  signature: Item | InnerList | undefined
  publicKeys: readonly KeyObject[]
  nowMs: number
}

/** What is wrong with one signature, null when nothing is. */
function findFault(request: FastifyRequest, { input, signature, publicKeys, nowMs }: Signed): string | null {
  if (!isInnerList(input)) return 'Signature-Input must list what is signed'
  const bytes = signature === undefined || isInnerList(signature) ? null : bytesOf(signature[0])
  if (bytes === null) return 'Signature has no bytes under the name in Signature-Input'
  const fault = findParameterFault(input, nowMs) ?? findUncovered(request, coveredNames(input))
  if (fault !== null) return fault
  const base = Buffer.from(buildSignatureBase(request.raw, request.originalUrl, input), 'latin1')
  const isGood = bytes.length === SIGNATURE_BYTES && publicKeys.some((key) => verify(null, base, key, bytes))
  return isGood ? null : 'no public key of this API key has made this signature for this request'
}

/** The same window as for X-Timestamp: a request that was overheard is worth nothing later. */
function findParameterFault([, parameters]: InnerList, nowMs: number): string | null {
  const [created, expires, alg] = [parameters.get('created'), parameters.get('expires'), parameters.get('alg')]
  if (alg !== undefined && alg !== 'ed25519') return `alg must be "ed25519", not ${echo(String(alg))}`
  if (!Number.isSafeInteger(created)) return 'the parameter created is missing: the Unix time in seconds'
  const age = Math.floor(nowMs / 1000) - Number(created)
  if (age > MAX_AGE_S) return `the signature is ${age} s old, and ${MAX_AGE_S} s are allowed`
  if (-age > MAX_AHEAD_S) return 'the signature is from the future: check the clock of your server'
  if (expires !== undefined && !(Number(expires) * 1000 > nowMs)) return 'the signature has expired'
  return null
}

/** What must be signed of this request. A header that steers a payment and is not signed could be exchanged on the way. */
function findUncovered(request: FastifyRequest, covered: readonly string[]): string | null {
  const isPost = request.raw.method === 'POST'
  const target = covered.includes('@request-target')
  const wanted = [
    '@method',
    ...(target ? [] : ['@path', ...(request.originalUrl.includes('?') ? ['@query'] : [])]),
    ...(isPost ? ['content-digest', 'x-timestamp'] : []),
    ...(request.raw.headers['idempotency-key'] === undefined ? [] : ['idempotency-key']),
  ]
  const missing = wanted.filter((name) => !covered.includes(name))
  return missing.length === 0 ? null : `${missing.map((name) => `"${name}"`).join(', ')} must be signed too`
}

/** Throws the refusal of a body that is not the one whose digest was signed. */
export function judgeDigest(request: FastifyRequest): void {
  if (request.method !== 'POST') return
  const body = Buffer.isBuffer(request.body) ? request.body : NO_BYTES
  const digests = readDigests(request)
  if (digests.length === 0) throw refuseSignature('Content-Digest must have sha-256 or sha-512')
  if (!digests.every(([name, item]) => isDigestOf(body, DIGESTS.get(name) ?? '', item)))
    throw refuseSignature('the body is not the one that Content-Digest says')
}

function readDigests(request: FastifyRequest): [string, Item | InnerList][] {
  try {
    return [...readField(request, 'content-digest')].filter(([name]) => DIGESTS.has(name))
  } catch (error) {
    throw refuseSignature((error as Error).message)
  }
}

function isDigestOf(body: Buffer, algorithm: string, item: Item | InnerList): boolean {
  const told = isInnerList(item) ? null : bytesOf(item[0])
  const digest = createHash(algorithm).update(body).digest()
  return told !== null && told.length === digest.length && timingSafeEqual(told, digest)
}

const bytesOf = (value: unknown): Buffer | null => (value instanceof ArrayBuffer ? Buffer.from(value) : null)

/** Reads a dictionary of RFC 9651 from this header. */
function readField(request: FastifyRequest, name: 'signature' | 'signature-input' | 'content-digest'): Dictionary {
  const value = request.raw.headers[name]
  const title = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
  if (value === undefined) throw new Error(`the header ${title} is missing`)
  try {
    return parseDictionary(String(value))
  } catch {
    throw new Error(`the header ${title} cannot be read`)
  }
}
