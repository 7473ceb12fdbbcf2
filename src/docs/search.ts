/** The text of the documentation below one heading. A search finds whole sections. */
export type Section = { page: string; href: string; title: string; text: string }
/** A section with an excerpt around the words of the query. `isMatch` marks the pieces that are one of these words. */
export type Found = Section & { excerpt: readonly { text: string; isMatch: boolean }[] }

const HEADING = /^(#{1,3}) (.+)$/
const OF_CONTENTS = /^- \[[^\]]+\]\(#/
const MOST_FOUND = 20
const MOST_WORDS = 8
const LONGEST_QUERY = 100
const BEFORE = 60
const EXCERPT = 220
// Matches the marks of Markdown, and the addresses behind its links.
const MARKS = /`|\*\*|\]\([^)]*\)|\[|^\s*(?:-|[0-9]+\.) |\|/gm
const RULES = /^\|(?:-+\|)+$/gm
const WORD = /[\p{L}\p{N}_./-]+/gu

export const anchorOf = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9.]+/g, '-')

/** Splits the Markdown of a page into sections, without its table of contents. */
export function sectionsOf(page: string, path: string, markdown: string): Section[] {
  const sections: { title: string; lines: string[] }[] = []
  let inCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode
    const title = inCode ? undefined : HEADING.exec(line)?.[2]
    if (title !== undefined) sections.push({ title, lines: [] })
    else if (!line.startsWith('```') && !OF_CONTENTS.test(line)) sections.at(-1)?.lines.push(line)
  }
  return sections
    .map(({ title, lines }) => ({ title, text: plain(lines.join('\n')) }))
    .filter(({ text }) => text !== '')
    .map(({ title, text }) => ({ page, href: `${path}#${anchorOf(title)}`, title: plain(title), text }))
}

/** Parses a query into one line of at most MAX_QUERY_LENGTH characters. */
export const readQuestion = (text: string | undefined): string =>
  (text ?? '')
    .normalize('NFC')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_QUERY)

/**
 * Finds the sections that have every word, at most MAX_MATCHES. A section with exactly this title comes first; the others follow
 * page by page in the given order, first those with most of the words in their heading.
 */
export function search(sections: readonly Section[], question: string): Found[] {
  const query = question.toLowerCase()
  const words = (query.match(WORD) ?? []).slice(0, MOST_WORDS)
  if (words.length === 0) return []
  const pages = [...new Set(sections.map(({ page }) => page))]
  const rankOf = (section: Section) =>
    section.title.toLowerCase() === query ? -1 : pages.indexOf(section.page)
  return sections
    .filter((section) => hasAll(section, words))
    .sort((a, b) => rankOf(a) - rankOf(b) || inHeading(b, words) - inHeading(a, words))
    .slice(0, MOST_FOUND)
    .map((section) => ({ ...section, excerpt: excerptOf(section.text, words) }))
}

const inHeading = ({ title }: Section, words: readonly string[]): number => {
  const heading = title.toLowerCase()
  return words.filter((word) => heading.includes(word)).length
}

function hasAll({ title, text }: Section, words: readonly string[]): boolean {
  const fullText = `${title}\n${text}`.toLowerCase()
  return words.every((word) => fullText.includes(word))
}

function excerptOf(text: string, words: readonly string[]): Found['excerpt'] {
  const lower = text.toLowerCase()
  const positions = words.map((word) => lower.indexOf(word)).filter((position) => position >= 0)
  const near = Math.max(0, Math.min(...(positions.length > 0 ? positions : [0])) - BEFORE)
  const from = near === 0 ? 0 : text.indexOf(' ', near) + 1
  const excerpt = text.slice(from, from + EXCERPT)
  const marked = `${from > 0 ? '… ' : ''}${excerpt}${from + EXCERPT < text.length ? ' …' : ''}`
  const anyWord = new RegExp(
    `(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|')})`,
    'gi',
  )
  return marked.split(anyWord).map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }))
}

const plain = (markdown: string): string =>
  markdown
    .replace(RULES, '')
    .replace(MARKS, (mark) => (mark === '|' ? ' · ' : ' '))
    .replace(/(?:\s|·)*·(?:\s|·)*/g, ' · ')
    .replace(/[ \n]+/g, ' ')
    .trim()
