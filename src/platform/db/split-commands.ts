import type pg from 'pg'

// What may hold a semicolon that ends no command: comments, texts, names, and bodies of functions between dollar signs.
const PARTS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^;'"$/-]+|[\s\S]/g
const COMMENT = /^(?:--|\/\*)/

/**
 * Splits a file of SQL into its commands, without their semicolons and without comments behind the last. It does not know nested comments,
 * texts with backslashes, and bodies of functions that are not between dollar signs.
 */
export function splitCommands(sql: string): string[] {
  const commands: string[] = []
  let command = ''
  let hasWords = false
  for (const [part] of sql.matchAll(PARTS)) {
    if (part === ';') {
      if (hasWords) commands.push(command.trim())
      command = ''
      hasWords = false
      continue
    }
    command += part
    hasWords ||= part.trim() !== '' && !COMMENT.test(part)
  }
  if (hasWords) commands.push(command.trim())
  return commands
}

/**
 * Makes a connection for a runner of files that sends their commands one after the other: in a schema of a cluster a command may not come
 * together with others. The runner may only query with it.
 */
export function commandByCommand(client: pg.Client): pg.Client {
  const query = async (sql: string, values?: unknown[]) => {
    if (values !== undefined) return client.query(sql, values)
    let answer: pg.QueryResult | undefined
    for (const command of splitCommands(sql)) answer = await client.query(command)
    return answer
  }
  return { query } as unknown as pg.Client // The runner does nothing else with a connection that it was given.
}
