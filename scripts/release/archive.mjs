import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { create, extract } from 'tar'
import { filesBelow } from './packages.mjs'
import { run } from './run.mjs'

/** Packs a folder so that the same files make the same bytes: sorted, owned by nobody, all as old as the commit. */
export async function pack(folder, file, { committedAt }) {
  const top = basename(folder)
  const paths = filesBelow(folder).map((path) => `${top}/${path}`)
  const options = { portable: true, mtime: committedAt, noDirRecurse: true }
  await create({ ...options, file, cwd: dirname(folder), gzip: { level: 9 } }, paths)
}

/** The files of a commit, in a new folder. */
export async function unpackCommit(root, commit, folder) {
  const file = `${folder}.tar`
  run('git', ['archive', '--format=tar', `--output=${file}`, commit], { cwd: root })
  await extract({ file, cwd: folder })
}

/** Writes the checksums of all artefacts that lie in the folder. Check them with `sha256sum --check SHA256SUMS`. */
export function writeChecksums(folder) {
  const names = readdirSync(folder).filter((name) => /^gateway-.*\.(tgz|cdx\.json)$/.test(name))
  const lines = names.sort().map((name) => `${sha256(join(folder, name))}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')
