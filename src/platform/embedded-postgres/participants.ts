import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, readIdentity } from './process-identity.ts'

/** Notes that this process uses the server. Returns the function that removes the note. Call under the lock. */
export function registerParticipant(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // One process may join twice, so its id alone does not name the note.
  const note = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`)
  writeFileSync(note, readIdentity(process.pid) ?? '')
  return () => rmSync(note, { force: true })
}

/** Whether any live process uses the server. Removes notes of dead processes. Call under the lock. */
export function hasParticipants(folder: string): boolean {
  let isUsed = false
  for (const name of readdirSync(folder)) {
    const note = join(folder, name)
    if (isRunning(readFileSync(note, 'utf8'))) isUsed = true
    else rmSync(note, { force: true })
  }
  return isUsed
}
