/**
 * Thrown to stop the program with a sentence that a person can act on. It is printed without a stack, because the code is not at
 * fault.
 */
export class CannotStart extends Error {}

const MEANINGS: Record<string, string> = {
  ENOSPC: 'the disk is full: make room and start again',
  EDQUOT: 'the quota of this account is used up: make room and start again',
  EROFS: 'it is on a file system that is read-only',
  EACCES: 'this account may not write it',
  EPERM: 'this account may not write it',
}

/** Describes in a sentence that a file could not be written; null for any other error. */
export function describeFileError(error: unknown): string | null {
  const { code = '', path } = error as NodeJS.ErrnoException
  const meaning = error instanceof Error ? MEANINGS[code] : undefined
  return meaning === undefined ? null : `${path ?? 'a file'} could not be written: ${meaning} (${code})`
}

const LISTEN_MEANINGS: Record<string, string> = {
  EADDRINUSE: 'it is in use: stop the program that listens there',
  EACCES: 'this account may not open it: take one above 1023',
  EADDRNOTAVAIL: 'this machine does not have this address: take one of its own',
  ENOTFOUND: 'there is no such address: take one of this machine',
}

/** Listens, or throws CannotStart with the settings that would change it. `settings`: as a person reads them, `PORT or HOST`. */
export async function listenOn<Result>(
  place: { host: string; port: number; settings: string },
  listen: () => Promise<Result>,
): Promise<Result> {
  try {
    return await listen()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const meaning = LISTEN_MEANINGS[code]
    if (meaning === undefined) throw error
    const { host, port, settings } = place
    throw new CannotStart(
      `cannot listen on port ${port} of ${host}: ${meaning}, or set ${settings} to another (${code})`,
    )
  }
}

/** Whether the complaint of another program says that the disk is full. */
export const reportsFullDisk = (complaint: string): boolean => /No space left on device/.test(complaint)
