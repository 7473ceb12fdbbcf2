// Names come in any order, in capitals, with and without marks and second names: NAKATO Jane R. is Jane Nakato.
const SHORTEST_WORD = 2

/** Whether two names can be one person's: they share a word. An operator cuts names, and people write half of them. */
export function mayBeSameName(typed: string, holder: string): boolean {
  const words = new Set(wordsOf(typed))
  return wordsOf(holder).some((word) => words.has(word))
}

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST_WORD)
