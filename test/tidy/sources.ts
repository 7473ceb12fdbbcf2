import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** A file of the repository, split into parts. Each part keeps the line breaks of the file, so line numbers stay right. */
export type Source = {
  /** From the root of the repository. */
  path: string
  text: string
  /** Without comments and without what stands in strings. */
  code: string
  /** Only what stands in strings and templates: where SQL lives. */
  strings: string
  comments: string
  imports: Import[]
}

type Import = { line: number; path: string; names: string[]; typeOnly: boolean }

/** Every file below this folder with one of these endings. */
export function sourcesOf(folder: string, ...endings: string[]): Source[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return sourcesOf(path, ...endings)
    return endings.some((ending) => path.endsWith(ending)) ? [readSource(path)] : []
  })
}

export const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return { path, text, ...takeApart(text), imports: importsOf(path, text) }
}

const IMPORT =
  /^(?:import|export)\s+(type\s+)?([\w*{][^'"`;=]*?)\s+from\s+['"]([^'"]+)['"]|(?:\{([^{}]*)\}\s*=\s*await\s+)?import\(\s*['"]([^'"]+)['"]\s*\)/gm

function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map((match) => {
    const [, type, clause = '', from, later, dynamic] = match
    const target = from ?? dynamic ?? ''
    const named = later ?? /\{([^}]*)\}/.exec(clause)?.[1] ?? ''
    const parts = named.split(',').flatMap((part) => part.trim() || [])
    const others = clause.replace(/\{[^}]*\}/, '').replace(/[\s,]/g, '') !== ''
    return {
      line: lineOf(text, match.index),
      path: target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
      names: parts.map(
        (part) =>
          part
            .replace(/^type /, '')
            .split(' as ')[0]
            ?.trim() ?? '',
      ),
      typeOnly: type !== undefined || (!others && parts.length > 0 && parts.every((part) => /^type /.test(part))),
    }
  })
}

type Kind = 'code' | 'comment' | 'string'

/** Separates code, comments and strings, character by character. The `${}` of a template is code. */
function takeApart(text: string): Pick<Source, 'code' | 'strings' | 'comments'> {
  const kinds = kindsOf(text)
  const only = (kind: Kind) =>
    Array.from(text.split(''), (char, at) => (char === '\n' || kinds[at] === kind ? char : ' ')).join('')
  return { code: only('code'), strings: only('string'), comments: only('comment') }
}

function kindsOf(text: string): Kind[] {
  const kinds: Kind[] = new Array(text.length).fill('code')
  // How many braces are open in each `${}`, the innermost last.
  const braces: number[] = []
  let at = 0
  const take = (end: number, kind: Kind) => {
    kinds.fill(kind, at, end)
    at = end
  }
  while (at < text.length) {
    const char = text[at] as string
    if (text.startsWith('//', at)) take(endOr(text, '\n', at), 'comment')
    else if (text.startsWith('/*', at)) take(endOr(text, '*/', at) + 2, 'comment')
    else if (char === "'" || char === '"') take(endOfMatch(text, at, QUOTED), 'string')
    else if (char === '/' && startsRegex(text, at)) take(endOfMatch(text, at, REGEX), 'string')
    else if (char === '`' || (char === '}' && braces.at(-1) === 0)) {
      if (char === '}') braces.pop()
      const end = endOfTemplate(text, at + 1)
      if (text[end - 1] === '{') braces.push(0)
      take(end, 'string')
    } else {
      if (braces.length > 0 && char === '{') braces[braces.length - 1]! += 1
      if (braces.length > 0 && char === '}') braces[braces.length - 1]! -= 1
      at += 1
    }
  }
  return kinds
}

const QUOTED = /'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?/y
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y

function startsRegex(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 20), at).trimEnd()
  REGEX.lastIndex = at
  return /[(,=:[!&|?{};]$|\breturn$|=>$/.test(before) && REGEX.test(text)
}

function endOfMatch(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 1)
}

function endOr(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found
}

/** The end of a piece of template: behind its closing backtick, or behind the `${` that interrupts it. */
function endOfTemplate(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '`') return at + 1
    else if (text.startsWith('${', at)) return at + 2
  }
  return text.length
}
