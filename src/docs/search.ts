/** A part of the documentation below one heading, as it is found. */
export type Section = { page: string; href: string; title: string; text: string }
/** What a section is shown with: its text around the words, cut into what is one of them and what is not. */
export type Found = Section & { excerpt: readonly { text: string; isMatch: boolean }[] }

const HEADING = /^(#{1,3}) (.+)$/
const OF_CONTENTS = /^- \[[^\]]+\]\(#/
const MOST_FOUND = 20
const MOST_WORDS = 8
const LONGEST_QUERY = 100
const BEFORE = 60
const EXCERPT = 220
// Marks of Markdown, and the links behind words.
const MARKS = /`|\*\*|\]\([^)]*\)|\[|^\s*(?:-|[0-9]+\.) |\|/gm
const RULES = /^\|(?:-+\|)+$/gm
const WORD = /[\p{L}\p{N}_./-]+/gu

export const anchorOf = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9.]+/g, '-')

/** The sections of a page, from its Markdown, without its contents. */
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

/** What somebody asks for, in one line and short enough to look for. */
export const readQuestion = (text: string | undefined): string =>
  (text ?? '')
    .normalize('NFC')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_QUERY)

/** The sections that have every word, at most twenty: first the one that is called so, then page by page, as they were given. */
export function search(sections: readonly Section[], question: string): Found[] {
  const asked = question.toLowerCase()
  const words = (asked.match(WORD) ?? []).slice(0, MOST_WORDS)
  if (words.length === 0) return []
  const pages = [...new Set(sections.map(({ page }) => page))]
  const placeOf = (section: Section) =>
    section.title.toLowerCase() === asked ? -1 : pages.indexOf(section.page)
  return sections
    .filter((section) => hasAll(section, words))
    .sort((a, b) => placeOf(a) - placeOf(b) || inHeading(b, words) - inHeading(a, words))
    .slice(0, MOST_FOUND)
    .map((section) => ({ ...section, excerpt: excerptOf(section.text, words) }))
}

const inHeading = ({ title }: Section, words: readonly string[]): number => {
  const heading = title.toLowerCase()
  return words.filter((word) => heading.includes(word)).length
}

function hasAll({ title, text }: Section, words: readonly string[]): boolean {
  const all = `${title}\n${text}`.toLowerCase()
  return words.every((word) => all.includes(word))
}

function excerptOf(text: string, words: readonly string[]): Found['excerpt'] {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const near = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - BEFORE)
  const from = near === 0 ? 0 : text.indexOf(' ', near) + 1
  const shown = text.slice(from, from + EXCERPT)
  const around = `${from > 0 ? '… ' : ''}${shown}${from + EXCERPT < text.length ? ' …' : ''}`
  const any = new RegExp(
    `(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|')})`,
    'gi',
  )
  return around.split(any).map((part, nth) => ({ text: part, isMatch: nth % 2 === 1 }))
}

const plain = (markdown: string): string =>
  markdown
    .replace(RULES, '')
    .replace(MARKS, (mark) => (mark === '|' ? ' · ' : ' '))
    .replace(/(?:\s|·)*·(?:\s|·)*/g, ' · ')
    .replace(/[ \n]+/g, ' ')
    .trim()
