import { posix } from 'node:path'
import { lineOf, type Source } from './sources.ts'

/** A top-level declaration, and the declarations of its own and other files that it refers to, as `path name`. */
export type Declared = {
  place: string
  name: string
  line: number
  /** Whether it asks the table of actions. */
  guarded: boolean
  /** The table that it writes, if it is a statement. */
  writes: string | null
  refers: ReadonlySet<string>
}

const OPENING = /^(?:export )?(?:async )?(?:function\*?|const|let|class)\s+(\w+)/
const WRITE = /\b(?:insert into|update|delete from|truncate(?: table)?)\s+(?:only\s+)?(\w+)/
const ASKS = /\ballow\(/

/** Every top-level declaration of these files. Because of the formatter only these begin in the first column. */
export function declaredIn(sources: readonly Source[]): Map<string, Declared> {
  const found = new Map<string, Declared>()
  for (const source of sources) for (const one of partsOf(source)) found.set(`${source.path} ${one.name}`, one)
  return found
}

function partsOf(source: Source): Declared[] {
  const lines = source.code.split('\n')
  const strings = source.strings.split('\n')
  const starts = lines.flatMap((line, at) => (OPENING.test(line) ? [at] : []))
  const own = new Set(starts.map((at) => nameOn(lines[at])))
  const foreign = importedBy(source)
  return starts.map((at, index) => {
    const end = starts[index + 1] ?? lines.length
    const code = lines.slice(at, end).join('\n')
    const name = nameOn(lines[at])
    const words = new Set(code.match(/\b\w+\b/g))
    const near = [...own].filter((word) => word !== name && words.has(word))
    const far = [...foreign].filter(([word]) => words.has(word)).map(([, place]) => place)
    return {
      place: source.path,
      name,
      line: lineOf(source.code, source.code.split('\n').slice(0, at).join('\n').length + 1),
      guarded: ASKS.test(code),
      writes: /\bstatement\b/.test(code) ? tableOf(strings.slice(at, end).join('\n')) : null,
      refers: new Set([...near.map((word) => `${source.path} ${word}`), ...far]),
    }
  })
}

const nameOn = (line: string | undefined) => OPENING.exec(line ?? '')?.[1] ?? ''

/** `for update`, `do update set` and the like write no table of their own. */
const tableOf = (sql: string) => WRITE.exec(sql.replace(/\b(?:for(?: no key)?|do) update\b/g, ''))?.[1] ?? null

/** The imported names of a file, and where each is declared. */
function importedBy(source: Source): Map<string, string> {
  const names = new Map<string, string>()
  const clause = /^import (?!type\b)\{([^}]*)\} from '(\.[^']+)'/gm
  for (const [, list = '', from = ''] of source.text.matchAll(clause))
    for (const part of list.split(',')) {
      const [name = '', alias = name] = part.trim().split(' as ')
      const path = posix.join(posix.dirname(source.path), from)
      if (name !== '' && !name.startsWith('type ')) names.set(alias, `${path} ${name}`)
    }
  return names
}

/** The paths from these declarations to a statement that writes, on which no declaration asks the table of actions. */
export function unguardedWrites(
  all: ReadonlyMap<string, Declared>,
  roots: readonly string[],
  { freely }: { freely: (table: string) => boolean },
): string[] {
  const from = new Map<string, string | null>(roots.map((root) => [root, null]))
  const ways: string[] = []
  for (const [at] of from) {
    const one = all.get(at)
    if (one === undefined || one.guarded) continue
    if (one.writes !== null && !freely(one.writes)) ways.push(wayTo(at, from))
    for (const next of one.refers) if (!from.has(next)) from.set(next, at)
  }
  return ways
}

function wayTo(end: string, from: ReadonlyMap<string, string | null>): string {
  const steps = [end]
  for (let at = from.get(end); at != null; at = from.get(at)) steps.unshift(at)
  return steps.map((step) => step.replace(/^src\/|\.tsx?\b/g, '')).join(' -> ')
}
