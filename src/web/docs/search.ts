import { findSections, questionWords, type SearchIndex } from './search-index.ts'

/** The text of the documentation below one heading. A search finds whole sections. */
export type DocsSection = { page: string; href: string; title: string; text: string }
/** A section with an excerpt around the words of the query. `isMatch` marks the pieces that are one of these words. */
export type DocsMatch = DocsSection & { excerpt: readonly { text: string; isMatch: boolean }[] }

const HEADING = /^(#{1,3}) (.+)$/
const CONTENTS_LINE = /^- \[[^\]]+\]\(#/
const MAX_MATCHES = 20
const MAX_QUERY_LENGTH = 100
const EXCERPT_LEAD_LENGTH = 60
const EXCERPT_LENGTH = 220
// Matches the marks of Markdown, and the addresses behind its links.
const MARKDOWN_MARKS = /`|\*\*|\]\([^)]*\)|\[|^\s*(?:-|[0-9]+\.) |\|/gm
const TABLE_RULES = /^\|(?:-+\|)+$/gm

export const makeAnchor = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9.]+/g, '-')

/** Splits the Markdown of a page into sections, without its table of contents. */
export function splitSections(page: string, path: string, markdown: string): DocsSection[] {
  const sections: { title: string; lines: string[] }[] = []
  let inCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode
    const title = inCode ? undefined : HEADING.exec(line)?.[2]
    if (title !== undefined) sections.push({ title, lines: [] })
    else if (!line.startsWith('```') && !CONTENTS_LINE.test(line)) sections.at(-1)?.lines.push(line)
  }
  return sections
    .map(({ title, lines }) => ({ title, text: stripMarkdown(lines.join('\n')) }))
    .filter(({ text }) => text !== '')
    .map(({ title, text }) => ({
      page,
      href: `${path}#${makeAnchor(title)}`,
      title: stripMarkdown(title),
      text,
    }))
}

/** Parses a query into one line of at most MAX_QUERY_LENGTH characters. */
export const parseQuestion = (text: string | undefined): string =>
  (text ?? '')
    .normalize('NFC')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_QUERY_LENGTH)

/**
 * Finds the sections that have every word, at most MAX_MATCHES. A section with exactly this title comes first; the others follow
 * page by page in the given order, first those with most of the words in their heading.
 */
export function searchDocs(sections: readonly DocsSection[], index: SearchIndex, question: string): DocsMatch[] {
  const query = question.toLowerCase()
  const words = questionWords(question)
  const pages = [...new Set(sections.map(({ page }) => page))]
  const rankOf = (section: DocsSection) => (section.title.toLowerCase() === query ? -1 : pages.indexOf(section.page))
  return findSections(index, words)
    .map((number) => sections[number] as DocsSection)
    .sort((a, b) => rankOf(a) - rankOf(b) || countWordsInHeading(b, words) - countWordsInHeading(a, words))
    .slice(0, MAX_MATCHES)
    .map((section) => ({ ...section, excerpt: cutExcerpt(section.text, words) }))
}

const countWordsInHeading = ({ title }: DocsSection, words: readonly string[]): number => {
  const heading = title.toLowerCase()
  return words.filter((word) => heading.includes(word)).length
}

function cutExcerpt(text: string, words: readonly string[]): DocsMatch['excerpt'] {
  const lower = text.toLowerCase()
  const positions = words.map((word) => lower.indexOf(word)).filter((position) => position >= 0)
  const near = Math.max(0, Math.min(...(positions.length > 0 ? positions : [0])) - EXCERPT_LEAD_LENGTH)
  const from = near === 0 ? 0 : text.indexOf(' ', near) + 1
  const excerpt = text.slice(from, from + EXCERPT_LENGTH)
  const marked = `${from > 0 ? '… ' : ''}${excerpt}${from + EXCERPT_LENGTH < text.length ? ' …' : ''}`
  const anyWord = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|')})`, 'gi')
  return marked.split(anyWord).map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }))
}

const stripMarkdown = (markdown: string): string =>
  markdown
    .replace(TABLE_RULES, '')
    .replace(MARKDOWN_MARKS, (mark) => (mark === '|' ? ' · ' : ' '))
    .replace(/(?:\s|·)*·(?:\s|·)*/g, ' · ')
    .replace(/[ \n]+/g, ' ')
    .trim()
