import type { DocsSection } from './search.ts'

/**
 * Which sections have which words. `sections`: page, address and title of each. `words`: the numbers of the sections that have a word. Made once
 * from the guide; browsers load it as it is.
 */
export type SearchIndex = {
  sections: (readonly [page: string, href: string, title: string])[]
  words: Record<string, string>
}

const WORD = /[\p{L}\p{N}_./-]+/gu
const MARKS_AROUND = /^[./-]+|[./-]+$/g
const MAX_QUERY_WORDS = 8

/** Makes the index of these sections. */
export function buildSearchIndex(sections: readonly DocsSection[]): SearchIndex {
  const numbers = new Map<string, number[]>()
  for (const [number, { title, text }] of sections.entries())
    for (const word of new Set(splitWords(`${title}\n${text}`))) {
      const of = numbers.get(word)
      if (of === undefined) numbers.set(word, [number])
      else of.push(number)
    }
  return {
    sections: sections.map(({ page, href, title }) => [page, href, title]),
    words: Object.fromEntries([...numbers].map(([word, of]) => [word, of.join(' ')])),
  }
}

/** The words of a question by which sections are found. */
export const questionWords = (question: string): string[] => splitWords(question).slice(0, MAX_QUERY_WORDS)

/** Finds the numbers of the sections that have every word, also as a part of a longer one. None where there is no word. */
export function findSections({ words }: SearchIndex, wanted: readonly string[]): number[] {
  const sets = wanted.map((part) => {
    const found = Object.entries(words).filter(([word]) => word.includes(part))
    return new Set(found.flatMap(([, numbers]) => numbers.split(' ').map(Number)))
  })
  const [first = new Set<number>(), ...others] = sets
  return [...first].filter((number) => others.every((set) => set.has(number))).sort((a, b) => a - b)
}

const splitWords = (text: string): string[] =>
  (text.toLowerCase().match(WORD) ?? []).map((word) => word.replace(MARKS_AROUND, '')).filter((word) => word !== '')
