const NOT_PLAIN = /[^A-Za-z0-9 ._-]+/g
const ACCENTS = /\p{M}+/gu
// An apostrophe is removed without a gap; every other refused character becomes a space.
const APOSTROPHES = /['’‘`´ʼ]/g

/**
 * Makes a text that the operator accepts, of at most `maxLength` characters: it refuses apostrophes, `#` and `&`, and fails on an
 * empty note (rails.md 3.11). `fallback` must be plain already.
 */
export function plainText(raw: string, maxLength: number, fallback: string): string {
  const plain = raw
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(APOSTROPHES, '')
    .replace(NOT_PLAIN, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, maxLength)
    .trim()
  return plain === '' ? fallback : plain
}

const LOCAL_PHONE = /^256[0-9]{9}$/
export const isLocalPhone = (phone: string): boolean => LOCAL_PHONE.test(phone)
