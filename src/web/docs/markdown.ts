import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { makeAnchor } from './search.ts'

export type PageHeading = { level: number; id: string; text: string }
export type RenderedMarkdown = { html: string; headings: readonly PageHeading[] }

const SAFE_LINK = /^(?:https?:\/\/|\/(?!\/)|#)/
const COMMENT = /^\s*<!--[\s\S]*?-->\s*$/
/** Blocks of code in these languages that follow each other are one example: the script makes tabs of them. */
const LANGUAGE_LABELS: Readonly<Record<string, string>> = {
  curl: 'curl',
  js: 'JavaScript',
  python: 'Python',
  php: 'PHP',
}

/**
 * Renders Markdown of ours. HTML in it is shown as text, and a link leads to http(s) or to this site or is none. Each heading has an anchor,
 * which is its own link; `headings` are those of the page, in order.
 */
export function renderMarkdown(text: string): RenderedMarkdown {
  const headings: PageHeading[] = []
  const marked = new Marked({ gfm: true, renderer: newRenderer(headings) })
  const html = groupByLanguage(marked.lexer(text)).map((part) =>
    Array.isArray(part) ? renderExample(part) : marked.parser([part]),
  )
  return { html: html.join(''), headings }
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** What we write in another way than the library. */
const newRenderer = (headings: PageHeading[]): RendererObject<string, string> => ({
  html: ({ text }) => (COMMENT.test(text) ? '' : escapeHtml(text)),
  image: ({ raw }) => escapeHtml(raw),
  heading({ tokens, depth }) {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer)
    const id = newAnchor(text, headings)
    headings.push({ level: depth, id, text })
    const inside = this.parser.parseInline(tokens)
    const linked = depth === 1 || inside.includes('<a ') ? inside : `<a class="anchor" href="#${id}">${inside}</a>`
    return `<h${depth} id="${id}">${linked}</h${depth}>`
  },
  link({ href, tokens, raw }) {
    return SAFE_LINK.test(href)
      ? `<a href="${escapeHtml(href)}">${this.parser.parseInline(tokens)}</a>`
      : escapeHtml(raw)
  },
  code: ({ text }) => renderCode(text),
  table({ header, rows }) {
    const renderCells = (tag: string, cells: Tokens.TableCell[]) =>
      `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag.slice(0, 2)}>`).join('')}</tr>`
    const body = rows.map((cells) => renderCells('td', cells)).join('')
    // A box that scrolls is reached by the keyboard.
    return `<div class="table" tabindex="0"><table><thead>${renderCells('th scope="col"', header)}</thead><tbody>${body}</tbody></table></div>`
  },
})

/** The anchor of a heading; the second heading with the same words gets a number. */
function newAnchor(text: string, headings: readonly PageHeading[]): string {
  const anchor = makeAnchor(text)
  const used = (id: string) => headings.some((heading) => heading.id === id)
  let id = anchor
  for (let nth = 2; used(id); nth++) id = `${anchor}-${nth}`
  return id
}

const renderCode = (text: string) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`

const languageOf = (token: Token): string | null =>
  token.type === 'code' && token.lang !== undefined && token.lang in LANGUAGE_LABELS ? token.lang : null

/** The tokens of a page; those of one example are one list. */
function groupByLanguage(tokens: readonly Token[]): (Token | Tokens.Code[])[] {
  const parts: (Token | Tokens.Code[])[] = []
  for (const token of tokens) {
    const last = parts.at(-1)
    if (languageOf(token) === null) {
      if (token.type !== 'space') parts.push(token)
    } else if (Array.isArray(last)) last.push(token as Tokens.Code)
    else parts.push([token as Tokens.Code])
  }
  return parts
}

function renderExample(blocks: readonly Tokens.Code[]): string {
  const sections = blocks.map(
    ({ lang = '', text }) =>
      `<figure data-language="${lang}"><figcaption>${LANGUAGE_LABELS[lang]}</figcaption>${renderCode(text)}</figure>`,
  )
  return `<div class="languages">${sections.join('')}</div>`
}
