import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, isRunning } from './process-identity.ts'

/** Notes that this process uses the server. Answers the function that takes the note back. Call under the lock. */
export function register(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // One process may join twice, so its id alone does not name the note.
  const note = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`)
  writeFileSync(note, identityOf(process.pid) ?? '')
  return () => rmSync(note, { force: true })
}

/** Whether any live process uses the server. Notes of dead processes are thrown away. Call under the lock. */
export function anyoneRegistered(folder: string): boolean {
  let found = false
  for (const name of readdirSync(folder)) {
    const note = join(folder, name)
    if (isRunning(readFileSync(note, 'utf8'))) found = true
    else rmSync(note, { force: true })
  }
  return found
}
