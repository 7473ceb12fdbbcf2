import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../platform/processes/root.ts'

const COMMIT_DIGITS = 12

/** The first 12 hex digits of the running commit, or null outside of a git checkout (G2). */
export function runningCommit(): string | null {
  const git = join(ROOT, '.git')
  try {
    const head = readFileSync(`${git}/HEAD`, 'utf8').trim()
    const ref = /^ref: (.+)$/.exec(head)?.[1]
    const commit = ref === undefined ? head : readRef(git, ref)
    return commit?.slice(0, COMMIT_DIGITS) ?? null
  } catch {
    return null
  }
}

function readRef(git: string, ref: string): string | null {
  if (existsSync(`${git}/${ref}`)) return readFileSync(`${git}/${ref}`, 'utf8').trim()
  const packed = readFileSync(`${git}/packed-refs`, 'utf8')
  return (
    packed
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0] ?? null
  )
}
