import { closeSync, openSync, readSync } from 'node:fs'
import { WrongUsage } from './wrong-usage.ts'

const MAX_SECRETS_BYTES = 10_000 // Two secrets of 500 characters fit many times.
const STDIN = '-'

/**
 * Reads secrets as a JSON object of texts, from a file or (`-`) from standard input: on the command line every user of the machine could
 * read them. Throws WrongUsage without any of the content.
 */
export function readSecrets<const Name extends string>(from: string, names: readonly Name[]): Record<Name, string> {
  const message = `--secrets-from must lead to a JSON object with ${names.join(' and ')}`
  const read = parseObject(readBounded(from), message)
  return Object.fromEntries(
    names.map((name) => {
      const value = (read as Record<string, unknown>)[name]
      if (typeof value !== 'string') throw new WrongUsage(message)
      return [name, value]
    }),
  ) as Record<Name, string>
}

function parseObject(text: string, message: string): object {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null) return read
  } catch {
    // The parser's message would quote the secrets.
  }
  throw new WrongUsage(message)
}

function readBounded(from: string): string {
  const file = openSecrets(from)
  const bytes = Buffer.alloc(MAX_SECRETS_BYTES + 1)
  let length = 0
  try {
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null)
      length += read
      if (length > MAX_SECRETS_BYTES) throw new WrongUsage(`--secrets-from is longer than ${MAX_SECRETS_BYTES} bytes`)
      if (read === 0) return bytes.toString('utf8', 0, length)
    }
  } finally {
    if (from !== STDIN) closeSync(file)
  }
}

function openSecrets(from: string): number {
  if (from === STDIN) return 0
  try {
    return openSync(from, 'r')
  } catch (error) {
    throw new WrongUsage(`--secrets-from cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
