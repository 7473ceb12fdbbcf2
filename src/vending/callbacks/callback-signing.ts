import { hash, timingSafeEqual } from 'node:crypto'

/** A member of a JSON object in its original text; `value` is the range of the value in that text. */
export type Member = {
  name: string
  kind: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'
  /** The text that is signed; objects and arrays are not signed. */
  text: string
  value: readonly [number, number]
}

// Not part of the signed fields: the products, the signature itself, and what is signed beside them.
const UNSIGNED = new Set(['sign', 'key', 'timestamp', 'splist'])
// Suppliers that send the first name may have signed the second.
const ALIASES: Readonly<Record<string, string>> = { state: 'status', dsfshdh: 'dsfshbh' }
// A string, a number, a word, or one of the six structural characters of JSON.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.0-9a-zA-Z]+|[{}[\],:]/gs

/**
 * The members of an object, in the order of its text, numbers as they are written, because parsing would change the signed
 * text (`1.0`, or a number of eighteen digits). The text is known to be JSON, and an object.
 */
export function readMembers(json: string): Member[] {
  const members: Member[] = []
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
        members.push({ name, ...readScalar(token), value: [index, index + token.length] })
        name = null
      }
    }
  }
  return members
}

function readScalar(token: string): Pick<Member, 'kind' | 'text'> {
  if (token.startsWith('"')) return { kind: 'string', text: JSON.parse(token) as string }
  if (token === 'null') return { kind: 'null', text: '' }
  if (token === 'true' || token === 'false') return { kind: 'boolean', text: token === 'true' ? '1' : '0' }
  return { kind: 'number', text: token }
}

/** Whether this member is one value, not an object or an array. */
export const isScalar = ({ kind }: Member): boolean => kind !== 'object' && kind !== 'array'

/**
 * The texts that may have been signed, the more likely first: names as received, then with the second spelling where a name
 * has two (contract.md 6.3 step 4). Only one if both are the same.
 */
export function signedBases(members: readonly Member[]): string[] {
  const signed = members.filter((member) => isScalar(member) && !UNSIGNED.has(member.name))
  const names = new Set(signed.map(({ name }) => name))
  const renamed = signed.map((member) => {
    const other = Object.hasOwn(ALIASES, member.name) ? ALIASES[member.name] : undefined
    // If both were sent they are two fields, not two spellings of one.
    return other === undefined || names.has(other) ? member : { ...member, name: other }
  })
  return [...new Set([baseOf(signed), baseOf(renamed)])]
}

const baseOf = (members: readonly Member[]) =>
  [...members]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, text }) => `${name}=${text}`)
    .join('&')

/** The signature of a message (32 hex digits), its timestamp, and the texts that may have been signed with it. */
export type Signed = { sign: string; timestamp: string; bases: readonly string[] }

/** Lowercase hex MD5 of secret, time and base: the method is given by the suppliers of machines. */
export const signatureOf = (secret: string, { timestamp, base }: { timestamp: string; base: string }) =>
  hash('md5', `${secret}${timestamp}${base}`, 'hex')

/**
 * The index of the secret that signed, the first of several, or null. All combinations are always computed and compared in
 * constant time, so that the answer does not reveal how near a guess was.
 */
export function whichSigned(secrets: readonly string[], { sign, timestamp, bases }: Signed): number | null {
  const claimed = Buffer.from(sign.toLowerCase(), 'latin1')
  const matches = secrets.map((secret) =>
    bases
      .map((base) => Buffer.from(signatureOf(secret, { timestamp, base }), 'latin1'))
      .reduce(
        (found, own) => (own.length === claimed.length && timingSafeEqual(own, claimed)) || found,
        false,
      ),
  )
  const first = matches.indexOf(true)
  return first === -1 ? null : first
}
