import { hash, timingSafeEqual } from 'node:crypto'

/** A member of a JSON object as its text has it; `value` is where the text of the value stands, from and to. */
export type Member = {
  name: string
  kind: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'
  /** What takes part in a signature; of objects and arrays nothing does. */
  text: string
  value: readonly [number, number]
}

// Carry the rest of the message, are the signature itself, or are covered beside the base.
const UNSIGNED = new Set(['sign', 'key', 'timestamp', 'splist'])
// Suppliers that send the first name of a pair may have signed the second.
const ALIASES: Readonly<Record<string, string>> = { state: 'status', dsfshdh: 'dsfshbh' }
// A string, a number or a word, or one of the six marks of JSON.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.0-9a-zA-Z]+|[{}[\],:]/gs

/**
 * The members of an object, in the order of its text, numbers as they are written: what has been parsed cannot be signed again
 * (`1.0`, or a number of eighteen digits). The text is known to be JSON, and an object.
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
      // Names and values take turns.
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
 * What may have been signed, the likelier first: names as received, then with the second spelling of the names that have two
 * (contract.md 6.3 step 4). One where both are the same.
 */
export function signedBases(members: readonly Member[]): string[] {
  const signed = members.filter((one) => isScalar(one) && !UNSIGNED.has(one.name))
  const names = new Set(signed.map(({ name }) => name))
  const renamed = signed.map((one) => {
    const other = Object.hasOwn(ALIASES, one.name) ? ALIASES[one.name] : undefined
    // Where both were sent they are two fields, not two spellings of one.
    return other === undefined || names.has(other) ? one : { ...one, name: other }
  })
  return [...new Set([baseOf(signed), baseOf(renamed)])]
}

const baseOf = (members: readonly Member[]) =>
  [...members]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, text }) => `${name}=${text}`)
    .join('&')

/** What a message claims: the sign (32 hex digits), the time it is made over, and what else it may be made over. */
export type Signed = { sign: string; timestamp: string; bases: readonly string[] }

/** Lowercase hex MD5 of secret, time and base: what suppliers of machines can do, not what we would choose. */
export const signatureOf = (secret: string, { timestamp, base }: { timestamp: string; base: string }) =>
  hash('md5', `${secret}${timestamp}${base}`, 'hex')

/**
 * Which of these secrets has signed: its index, the first of several, or null. Every combination is computed and compared in
 * the same time whatever matches, so that an answer tells nothing of how near a guess was.
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
