import { randomBytes } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, readIdentity } from './process-identity.ts'

const RETRY_MS = 5
// Old tickets stay for a while, so that a process that was paused between reading and taking finds newer ones and gives up its own.
const TICKETS_KEPT = 16

/**
 * Runs `work` while no other process runs under a lock in the same folder; waits as long as a live process holds it.
 *
 * The lock is the file with the highest number. It is free when the file is empty or the process named in it is dead. A process takes
 * it by creating the next number, which only one can. No lock is taken over by deleting, so two processes that find a dead holder at
 * the same moment cannot both win.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const ticket = await takeTicket(folder)
  try {
    return await work()
  } finally {
    if (existsSync(ticket)) truncateSync(ticket, 0) // The folder itself may have been removed meanwhile.
  }
}

async function takeTicket(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const claim = join(folder, `claim-${process.pid}-${randomBytes(4).toString('hex')}`)
  writeFileSync(claim, readIdentity(process.pid) ?? '')
  try {
    for (;;) {
      const ticket = tryNextTicket(folder, claim)
      if (ticket !== null) return ticket
      await sleep(RETRY_MS)
    }
  } finally {
    rmSync(claim, { force: true })
  }
}

function tryNextTicket(folder: string, claim: string): string | null {
  const newest = newestTicket(folder)
  if (newest > 0 && isHeld(join(folder, String(newest)))) return null
  const mine = newest + 1
  const ticket = join(folder, String(mine))
  // A link appears with its whole content, unlike a file that is created and then written.
  if (!linkUnlessThere(claim, ticket)) return null
  if (newestTicket(folder) > mine) {
    rmSync(ticket, { force: true })
    return null
  }
  removeOldFiles(folder, mine)
  return ticket
}

function newestTicket(folder: string): number {
  return Math.max(0, ...readdirSync(folder).filter(isTicket).map(Number))
}

function isTicket(name: string): boolean {
  return /^\d+$/.test(name)
}

function isHeld(path: string): boolean {
  try {
    return isRunning(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true // A newer ticket was made meanwhile: read again.
    throw error
  }
}

function linkUnlessThere(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function removeOldFiles(folder: string, mine: number): void {
  for (const name of readdirSync(folder)) {
    const isOldTicket = isTicket(name) && Number(name) < mine - TICKETS_KEPT
    const isDeadClaim = name.startsWith('claim-') && readIdentity(Number(name.split('-')[1])) === null
    if (isOldTicket || isDeadClaim) rmSync(join(folder, name), { force: true })
  }
}

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
