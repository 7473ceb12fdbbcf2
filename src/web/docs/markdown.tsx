import type { ComponentChildren, VNode } from 'preact'
import { makeAnchor } from './search.ts'

// The part of Markdown that our pages need: headings, lists, tables, paragraphs, code, bold, links. Anything else stays text.
const HEADING = /^(#{1,4}) (.+)$/
const LIST_ITEM = /^(?:-|[0-9]+\.) (.+)$/
const NUMBERED_ITEM = /^[0-9]+\. /
const TABLE_ROW = /^\|(.+)\|$/
const TABLE_RULE = /^\|(?:-+\|)+$/
const FENCE = '```'
const INLINE_MARK = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g
const SAFE_LINK = /^(?:https?:\/\/|\/(?!\/)|#)/

/** Renders Markdown. The renderer escapes all text; links lead only to http(s) and to this site. */
export function Markdown({ text }: { text: string }) {
  const lines = text.split('\n')
  const blocks: VNode[] = []
  let line = 0
  while (line < lines.length) {
    const [block, next] = parseBlock(lines, line)
    if (block !== null) blocks.push(block)
    line = next
  }
  return <>{blocks}</>
}

/** Parses the block that begins at line `at`. Returns it and the index of the line after it. */
function parseBlock(lines: readonly string[], at: number): [VNode | null, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [null, at + 1]
  const heading = HEADING.exec(line)
  if (heading) return [renderHeading(heading[1]?.length ?? 1, heading[2] ?? ''), at + 1]
  if (line.startsWith(FENCE)) return parseFence(lines, at + 1)
  if (LIST_ITEM.test(line)) return parseList(lines, at)
  if (TABLE_ROW.test(line)) return parseTable(lines, at)
  const end = findBlockEnd(lines, at + 1, (next) => next.trim() === '' || isBlockStart(next))
  return [<p>{renderInline(lines.slice(at, end).join(' '))}</p>, end]
}

function renderHeading(level: number, text: string): VNode {
  const Tag = `h${level}` as 'h1'
  return <Tag id={makeAnchor(text)}>{renderInline(text)}</Tag>
}

function parseFence(lines: readonly string[], at: number): [VNode, number] {
  const end = findBlockEnd(lines, at, (line) => line.startsWith(FENCE))
  const code = <code>{lines.slice(at, end).join('\n')}</code>
  return [<pre>{code}</pre>, end + 1]
}

/** Parses items until a blank line or another block. An indented line continues the item before it. */
function parseList(lines: readonly string[], at: number): [VNode, number] {
  const end = findBlockEnd(lines, at, (line) => !LIST_ITEM.test(line) && !line.startsWith('  '))
  const items: string[] = []
  for (const line of lines.slice(at, end)) {
    const item = LIST_ITEM.exec(line)?.[1]
    if (item !== undefined) items.push(item)
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  const List = NUMBERED_ITEM.test(lines[at] ?? '') ? 'ol' : 'ul'
  const elements = items.map((item) => <li>{renderInline(item)}</li>)
  return [<List>{elements}</List>, end]
}

/** Parses rows of cells between bars. The first row is the head; the line of dashes below it is left out. */
function parseTable(lines: readonly string[], at: number): [VNode, number] {
  const end = findBlockEnd(lines, at, (line) => !TABLE_ROW.test(line))
  const rows = lines
    .slice(at, end)
    .filter((line) => !TABLE_RULE.test(line))
    .map((line) => (TABLE_ROW.exec(line)?.[1] ?? '').split('|').map((cell) => renderInline(cell.trim())))
  const [head = [], ...body] = rows
  const table = (
    <div class="table">
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
  return [table, end]
}

const isBlockStart = (line: string) =>
  HEADING.test(line) || LIST_ITEM.test(line) || TABLE_ROW.test(line) || line.startsWith(FENCE)

function findBlockEnd(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  const length = lines.slice(from).findIndex(isEnd)
  return length === -1 ? lines.length : from + length
}

function renderInline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let from = 0
  for (const match of text.matchAll(INLINE_MARK)) {
    parts.push(text.slice(from, match.index), renderMark(match))
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)]
}

function renderMark([whole, code, strong, label, href]: RegExpMatchArray): ComponentChildren {
  if (code !== undefined) return <code>{code}</code>
  if (strong !== undefined) return <strong>{strong}</strong>
  return href !== undefined && SAFE_LINK.test(href) ? <a href={href}>{label}</a> : whole
}
