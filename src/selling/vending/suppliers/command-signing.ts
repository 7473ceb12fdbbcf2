import { createHash } from 'node:crypto'

type Scalar = string | number | boolean | null

// The fields that a supplier's signature covers; the rest of the command is not signed (contract.md 6.2).
const SIGNED_NAMES = ['consumeType', 'ddbh', 'dsfjybh', 'jqbh', 'qhm', 'zfzh'] as const

/** The fields of a command that its signature covers. */
export type SignedFields = Readonly<Record<(typeof SIGNED_NAMES)[number], Scalar>>

/** Joins `k=v` with `&`, alphabetically. Empty values stay, null is empty, booleans are 1 and 0. */
export const signedBase = (fields: SignedFields): string =>
  SIGNED_NAMES.map((name) => `${name}=${formatScalar(fields[name])}`).join('&')

/** Computes the lowercase hex MD5 of secret, time (13 digits) and base. The suppliers of machines prescribe MD5. */
export function signCommand(
  fields: SignedFields,
  { secret, timestamp }: { secret: string; timestamp: number | string },
): string {
  return createHash('md5')
    .update(`${secret}${timestamp}${signedBase(fields)}`, 'utf8')
    .digest('hex')
}

function formatScalar(value: Scalar): string {
  if (value === null) return ''
  return typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
}
