import { hash, timingSafeEqual } from 'node:crypto'

/** A member of a JSON object in its original text; `value` is the range of the value in that text. */
export type CallbackMember = {
  name: string
  kind: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'
  /** The text that is signed; objects and arrays are not signed. */
  text: string
  value: readonly [number, number]
}

// These are not signed as fields: the products, the signature itself, and the secret and time, which are signed beside the fields.
const UNSIGNED_NAMES = new Set(['sign', 'key', 'timestamp', 'splist'])
// Suppliers that send the first name may have signed the second.
const ALIASES: Readonly<Record<string, string>> = { state: 'status', dsfshdh: 'dsfshbh' }
// A string, a number, a word, or one of the six structural characters of JSON.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.0-9a-zA-Z]+|[{}[\],:]/gs

/**
 * Splits the text of an object into its members, in order. Numbers keep their text, because parsing would change what was
 * signed (`1.0`, or a number of eighteen digits). The text must be JSON, and an object.
 */
export function parseMembers(json: string): CallbackMember[] {
  const members: CallbackMember[] = []
  let depth = 0
  let name: string | null = null
  let opened = 0
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      depth -= 1
      if (depth === 1 && name !== null) {
        const kind = token === '}' ? 'object' : 'array'
        members.push({ name, kind, text: '', value: [opened, index + 1] })
        name = null
      }
    } else if (token === '{' || token === '[') {
      if (depth === 1) opened = index
      depth += 1
    } else if (depth === 1 && token !== ',' && token !== ':') {
      // Names and values alternate.
      if (name === null) name = JSON.parse(token) as string
      else {
        members.push({ name, ...parseScalar(token), value: [index, index + token.length] })
        name = null
      }
    }
  }
  return members
}

function parseScalar(token: string): Pick<CallbackMember, 'kind' | 'text'> {
  if (token.startsWith('"')) return { kind: 'string', text: JSON.parse(token) as string }
  if (token === 'null') return { kind: 'null', text: '' }
  if (token === 'true' || token === 'false') return { kind: 'boolean', text: token === 'true' ? '1' : '0' }
  return { kind: 'number', text: token }
}

/** Whether this member is one value, not an object or an array. */
export const isScalar = ({ kind }: CallbackMember): boolean => kind !== 'object' && kind !== 'array'

/**
 * Builds the texts that may have been signed, the more likely first: names as received, then in the second spelling for the
 * names that have two (contract.md 6.3 step 4). Only one if both are the same.
 */
export function buildSignedBases(members: readonly CallbackMember[]): string[] {
  const signed = members.filter((member) => isScalar(member) && !UNSIGNED_NAMES.has(member.name))
  const names = new Set(signed.map(({ name }) => name))
  const renamed = signed.map((member) => {
    const alias = Object.hasOwn(ALIASES, member.name) ? ALIASES[member.name] : undefined
    // If both were sent they are two fields, not two spellings of one.
    return alias === undefined || names.has(alias) ? member : { ...member, name: alias }
  })
  return [...new Set([buildBase(signed), buildBase(renamed)])]
}

const buildBase = (members: readonly CallbackMember[]) =>
  [...members]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, text }) => `${name}=${text}`)
    .join('&')

/** The signature of a message (32 hex digits), its timestamp, and the texts that may have been signed with it. */
export type SignedMessage = { sign: string; timestamp: string; bases: readonly string[] }

/** Computes the lowercase hex MD5 of secret, time and base. The suppliers of machines prescribe MD5. */
export const computeSignature = (secret: string, { timestamp, base }: { timestamp: string; base: string }) =>
  hash('md5', `${secret}${timestamp}${base}`, 'hex')

/**
 * Finds the index of the secret that signed, the first of several. Always computes all combinations and compares them in
 * constant time, so that the time does not reveal how near a guess was.
 */
export function findSigner(secrets: readonly string[], { sign, timestamp, bases }: SignedMessage): number | null {
  const claimed = Buffer.from(sign.toLowerCase(), 'latin1')
  const matches = secrets.map((secret) =>
    bases
      .map((base) => Buffer.from(computeSignature(secret, { timestamp, base }), 'latin1'))
      .reduce(
        (matched, computed) => (computed.length === claimed.length && timingSafeEqual(computed, claimed)) || matched,
        false,
      ),
  )
  const first = matches.indexOf(true)
  return first === -1 ? null : first
}
