import { createHash } from 'node:crypto'
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CannotStart } from '../processes/cannot-start.ts'
import type { RunAs } from './run-as.ts'

const LONG_TEMPORARY_FOLDER = 40 // Characters; macOS gives 49, and with our own name the socket's path gets too long.

/**
 * Makes a folder that only its owner can write, or accepts one that only we or the account can have made. Throws CannotStart for any other:
 * in the system's temporary folder anyone can create a folder under a guessed name.
 */
export function makeOwned(folder: string, runAs: RunAs): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!isOwnedBy(folder, runAs.owner.uid))
      throw new CannotStart(`${folder} belongs to somebody else: remove it, or move the data folder elsewhere.`)
  }
}

/** Makes such a folder and hands it to the account, with mode 0700. Returns the folder. */
export function makePrivate(folder: string, runAs: RunAs): string {
  makeOwned(folder, runAs)
  handOver(folder, runAs)
  chmodSync(folder, 0o700)
  return folder
}

/** Whether it is a real folder of ours or of that account that no other account can write. */
export function isOwnedBy(folder: string, uid: number): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory() || (stat.mode & 0o022) !== 0) return false
  return stat.uid === process.getuid?.() || stat.uid === uid
}

/** Changes the owner of a folder and all in it to the account. Does nothing when the account owns it already. */
export function handOver(path: string, runAs: RunAs): void {
  if (runAs.kind === 'self') return
  const stat = lstatSync(path)
  if (stat.uid === runAs.owner.uid) return
  if (stat.isDirectory()) for (const name of readdirSync(path)) handOver(join(path, name), runAs)
  // The folder itself comes last, so that its owner shows that all in it was done. Links are never followed.
  lchownSync(path, runAs.owner.uid, runAs.owner.gid)
}

/**
 * Returns a short text that identifies this folder. A folder that was removed and made again gets another one: the server of the removed
 * folder may still run for a while, and its data must not come back.
 */
export function hashFolderIdentity(folder: string): string {
  const { ino, birthtimeMs } = statSync(folder)
  return createHash('sha256').update(`${folder} ${ino} ${birthtimeMs}`).digest('hex').slice(0, 16)
}

/** Returns the system's temporary folder, or /tmp when its name is long. */
export function shortTemporaryFolder(): string {
  return tmpdir().length <= LONG_TEMPORARY_FOLDER ? tmpdir() : '/tmp'
}
