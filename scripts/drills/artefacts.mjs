import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { choosePlatforms } from '../release/platforms.mjs'
import { run } from '../release/run.mjs'
import { release } from '../release.mjs'

const FOLDERS = ['migrations/directory/', 'migrations/cell/']
const MAX_COMMITS = 100
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The artefact of a commit for this machine, made in `work`; or the file that was given instead. */
export async function makeArtefact(work, ref, given) {
  const [file] =
    given === undefined
      ? await release({ platforms: choosePlatforms(), ref, into: join(work, `of-${ref.slice(0, 12)}`) })
      : [resolve(given)]
  console.log(`artefact: ${file}, ${(statSync(file).size / 1e6).toFixed(1)} MB`)
  return file
}

export function unpackArtefact(file, folder) {
  mkdirSync(folder, { recursive: true })
  run('tar', ['-xzf', file, '-C', folder, '--strip-components', '1'])
  return folder
}

/**
 * The newest tag of a release before this commit. Without one the newest commit before it that has fewer migrations, all of which come
 * before those that it lacks, so that there is something to migrate.
 */
export function findLastRelease() {
  const [tag] = git('tag', '--list', 'v*', '--no-contains', 'HEAD', '--merged', 'HEAD', '--sort=-creatordate')
  if (tag !== undefined) return tag
  const now = migrationsAt('HEAD')
  const commits = git('rev-list', `--max-count=${MAX_COMMITS}`, 'HEAD', '--', 'migrations')
  const before = commits.find((commit) => isBeginning(migrationsAt(commit), now))
  return before ?? git('rev-parse', 'HEAD~1')[0]
}

const git = (...words) => run('git', words, { cwd: root }).split('\n').filter(Boolean)

const migrationsAt = (commit) => FOLDERS.map((folder) => git('ls-tree', '--name-only', commit, folder))

/** Each list begins the other one, and at least one is shorter. */
const isBeginning = (some, all) =>
  some.every((names, nth) => names.every((name, at) => name === all[nth][at])) && some.flat().length < all.flat().length
