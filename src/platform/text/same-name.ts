// Names are written in any order, in capitals, with and without accents and second names: NAKATO Jane R. is Jane Nakato.
const SHORTEST_WORD = 2

/** Whether two names can be of the same person: they share a word. Operators cut names short, and people write half of them. */
export function mayBeSameName(typed: string, holder: string): boolean {
  const words = new Set(splitWords(typed))
  return splitWords(holder).some((word) => words.has(word))
}

const splitWords = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST_WORD)
