import { readFileSync, statSync } from 'node:fs'
import { UsageError } from './faults.ts'

/** Reads a file that the command was given. Throws UsageError where it cannot be read, or is larger. */
export function readOwnFile(file: string, maxBytes: number): Buffer {
  const { size } = attempt(file, () => statSync(file))
  if (size > maxBytes) throw new UsageError(`${file} is larger than ${maxBytes / 1024 / 1024} MiB`)
  return attempt(file, () => readFileSync(file))
}

function attempt<Done>(file: string, work: () => Done): Done {
  try {
    return work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message
    throw new UsageError(`${file} cannot be read: ${why}`)
  }
}
