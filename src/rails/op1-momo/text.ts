const NOT_PLAIN = /[^A-Za-z0-9 ._-]+/g
const ACCENTS = /\p{M}+/gu
// An apostrophe inside a word leaves no gap, as every other refused character does.
const APOSTROPHES = /['’‘`´ʼ]/g

/**
 * A text that the operator accepts: it refuses apostrophes, `#` and `&`, and fails on an empty note (rails.md 3.11). `fallback`
 * must be plain already.
 */
export function plainText(raw: string, most: number, fallback: string): string {
  const plain = raw
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(APOSTROPHES, '')
    .replace(NOT_PLAIN, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, most)
    .trim()
  return plain === '' ? fallback : plain
}

const LOCAL_PHONE = /^256[0-9]{9}$/
export const isLocalPhone = (phone: string): boolean => LOCAL_PHONE.test(phone)
