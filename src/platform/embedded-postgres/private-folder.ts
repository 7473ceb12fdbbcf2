import { createHash } from 'node:crypto'
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CannotStart } from '../cannot-start.ts'
import type { RunAs } from './run-as.ts'

const LONG_TEMPORARY_FOLDER = 40 // Characters; macOS gives 49, and with our own name the socket's path gets too long.

/**
 * Makes a folder that only its owner can write, or accepts one that only we or the account can have made: in the
 * system's temporary folder anyone can put anything under a name they guessed. Throws then.
 */
export function makeOwned(folder: string, runAs: RunAs): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!isOwnedBy(folder, runAs.owner.uid))
      throw new CannotStart(
        `${folder} belongs to somebody else: remove it, or move the data folder elsewhere.`,
      )
  }
}

/** The same folder handed to the account, mode 0700. */
export function makePrivate(folder: string, runAs: RunAs): string {
  makeOwned(folder, runAs)
  giveTo(folder, runAs)
  chmodSync(folder, 0o700)
  return folder
}

/** Whether it is a real folder of ours or of that account, which nobody else can write. */
export function isOwnedBy(folder: string, uid: number): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory() || (stat.mode & 0o022) !== 0) return false
  return stat.uid === process.getuid?.() || stat.uid === uid
}

/** Hands a folder and all in it to the account. Does nothing when the account already has it. */
export function giveTo(path: string, runAs: RunAs): void {
  if (runAs.kind === 'self') return
  const stat = lstatSync(path)
  if (stat.uid === runAs.owner.uid) return
  if (stat.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), runAs)
  // The folder itself comes last: its owner then tells that all in it was done. Links are never followed.
  lchownSync(path, runAs.owner.uid, runAs.owner.gid)
}

/**
 * A short text that stands for this very folder. One that was removed and made again gets another: a server of the
 * removed one may still run a while, and its data must not come back.
 */
export function identityHash(folder: string): string {
  const { ino, birthtimeMs } = statSync(folder)
  return createHash('sha256').update(`${folder} ${ino} ${birthtimeMs}`).digest('hex').slice(0, 16)
}

/** The system's temporary folder, or /tmp when that one's own name is long. */
export function shortTemporaryFolder(): string {
  return tmpdir().length <= LONG_TEMPORARY_FOLDER ? tmpdir() : '/tmp'
}
