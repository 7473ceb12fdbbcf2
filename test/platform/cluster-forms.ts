// Forms of SQL that a cluster of Citus refuses, or answers wrongly, where a cell and the directory are distributed schemas. Each was seen there;
// test/platform/cluster-routes.test.ts asks the cluster itself.

/** A form: why it is none for us, and how to find it in a statement. `in`: the parts of a writing statement that are looked at. */
type Form = { why: string; found: RegExp; in: readonly (keyof WriteParts)[] | 'all' }
type WriteParts = { set: string; conflict: string; returning: string }

const WRITTEN = ['set', 'conflict', 'returning'] as const
const FORMS: readonly Form[] = [
  {
    why: 'on another server it is the schema of that connection: ask for it without a table, and pass it as a value',
    found: /\bcurrent_schemas?\b[\s\S]*\bfrom\b|\bfrom\b[\s\S]*\bcurrent_schemas?\b/i,
    in: 'all',
  },
  {
    why: 'no value of an insert may be a query: insert what the query selects',
    found: /\bvalues\s*\((?:[^()]|\([^()]*\))*\(\s*select\b/i,
    in: 'all',
  },
  {
    why: 'to add an interval to a time is not immutable: compare a difference of two times, or add it in a locking or materialized CTE',
    found: /[-+*]\s*interval\b/i,
    in: WRITTEN,
  },
  {
    why: 'a function that is not immutable: use it in a locking or materialized CTE, or pass its value',
    found:
      /\b(jsonb?_build_(object|array)|to_jsonb?|row_to_json|format|concat(_ws)?|to_char|to_timestamp|extract|date_trunc|age)\s*\(/i,
    in: WRITTEN,
  },
  {
    why: 'this cast is not immutable: compare the value itself',
    found: /\bmode::text|::mode\b|->>\s*[^\s)]+\)*::(timestamptz|date)|::reg\w+/i,
    in: WRITTEN,
  },
  {
    why: 'beside an insert of rows that it reads no other part may write: send two statements',
    found: /\bas\s*\(\s*(?:update|insert|delete)\b[\s\S]*\)\s*insert\s+into\b[\s\S]*\bselect\b/i,
    in: 'all',
  },
  {
    why: 'written to another server its conditions have lost their operand: `case when x = 1 then`',
    found: /\bcase\s+[\w.$]+\s+when\b/i,
    in: WRITTEN,
  },
]
const QUERY = /^[\s(]*(?:select|with|update|insert|delete)\b/i
const WRITING_QUERY = /^\s*(?:update|insert|delete)\b/i
const WRITE = /\b(?:update(?!\s+(?:of|skip|set)\b)|insert\s+into|delete\s+from)\b/i

/** Why a cluster would not run this statement; none where it would. */
export function findClusterFaults(text: string): string[] {
  const sql = text.replaceAll(/--[^\n]*/g, ' ')
  // Queries in parentheses are read, and may use what they like, unless they write themselves.
  const writing: string[] = []
  const outer = without(sql, (inside) => {
    if (WRITING_QUERY.test(inside)) writing.push(inside)
    return QUERY.test(inside)
  })
  const parts = writeParts(outer)
  const own = FORMS.filter(({ found, in: where }) =>
    where === 'all' ? found.test(sql) : parts !== null && where.some((part) => found.test(parts[part])),
  )
  return [...new Set([...own.map(({ why }) => why), ...writing.flatMap(findClusterFaults)])]
}

/** The text with `()` in place of what stands in parentheses and is dropped. */
function without(sql: string, isDropped: (inside: string) => boolean): string {
  let kept = ''
  for (let at = 0; at < sql.length; at += 1) {
    if (sql[at] !== '(') kept += sql[at]
    else {
      const end = closingOf(sql, at)
      const inside = sql.slice(at + 1, end)
      kept += isDropped(inside) ? '()' : `(${without(inside, isDropped)})`
      at = end
    }
  }
  return kept
}

function closingOf(sql: string, opening: number): number {
  let depth = 0
  for (let at = opening; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1
    if (sql[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return sql.length
}

/** What the outer statement writes and returns; null where it only reads. */
function writeParts(outer: string): WriteParts | null {
  const from = outer.search(WRITE)
  if (from === -1) return null
  const main = outer.slice(from)
  const part = (pattern: RegExp) => pattern.exec(main)?.[1] ?? ''
  return {
    set:
      part(/\bset\b([\s\S]*?)(?:\bfrom\b|\bwhere\b|\breturning\b|$)/i) +
      part(/\bvalues\b([\s\S]*?)(?:\bon conflict\b|\breturning\b|$)/i),
    conflict: part(/\bon conflict\b([\s\S]*?)(?:\breturning\b|$)/i),
    returning: part(/\breturning\b([\s\S]*)$/i),
  }
}

/** Whether one part of this query, between its unions, joins tables of the directory with these tables of a cell. */
export function joinsDirectory(query: string, tablesOfCells: readonly string[]): boolean {
  const apart = without(query, (inside) => /\boffset 0\s*$/.test(inside))
  const ofCell = new RegExp(`\\b(?:from|join)\\s+(?:${tablesOfCells.join('|')})\\b(?!\\.)`)
  return apart.split(/\bunion(?: all)?\b/).some((part) => part.includes('directory.') && ofCell.test(part))
}

/** Why this file of migrations cannot be applied to a schema of a cluster. */
export function findMigrationFaults(commands: readonly string[]): string[] {
  return commands.flatMap((command) => [
    ...(/\breferencing\s+(new|old)\s+table\b/i.test(command) ? ['a trigger gets no table of rows there'] : []),
    ...(/^alter\s+table\b/i.test(command) && /\badd\s+constraint\b/i.test(command) && hasSubcommands(command)
      ? ['a constraint is added by a command of its own there']
      : []),
    ...(/^alter\s+function\b[\s\S]*\bfrom\s+current\b/i.test(command)
      ? ['a function is replaced there, not altered']
      : []),
  ])
}

/** Whether an ALTER TABLE has several changes: commas outside its parentheses. */
const hasSubcommands = (command: string) => {
  const bare = command.replaceAll(/--[^\n]*|'(?:[^']|'')*'/g, '')
  return without(bare, () => true).includes(',')
}
