// Makes what is installed on other machines (docs/installing.md): release/gateway-<version>-<platform>.tgz, the list of its parts and
// checksums. It starts with `node` alone. It is made of a commit, in a folder of its own, so nothing of this checkout gets into it:
//   release.mjs                             of the commit that is checked out, for this machine
//   release.mjs --platform linux-arm64      for another one (scripts/release/platforms.mjs), or all
//   release.mjs --commit REF --into FOLDER  of another commit
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pack, unpackCommit, writeChecksums } from './release/archive.mjs'
import { installPackages, readPackage } from './release/packages.mjs'
import { choosePlatforms, PLATFORMS } from './release/platforms.mjs'
import { run } from './release/run.mjs'
import { layOut } from './release/stage.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const OPTIONS = { platform: { type: 'string' }, commit: { type: 'string' }, into: { type: 'string' } }

/** Makes the artefacts of a commit for these platforms; `say` hears of each. Returns their paths. */
export async function release({ platforms, ref = 'HEAD', into = join(root, 'release'), say = () => {} }) {
  const commit = run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root }).trim()
  const seconds = run('git', ['show', '--no-patch', '--format=%ct', commit], { cwd: root })
  const made = { commit, committedAt: new Date(Number(seconds) * 1000) }
  const work = mkdtempSync(join(tmpdir(), 'gateway-release-'))
  try {
    const files = []
    for (const name of platforms) files.push(await releaseFor(name, { ...made, work: join(work, name), into, say }))
    writeChecksums(into)
    return files
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function releaseFor(name, { commit, committedAt, work, into, say }) {
  const source = join(work, 'source')
  mkdirSync(source, { recursive: true })
  mkdirSync(into, { recursive: true })
  await unpackCommit(root, commit, source)
  installPackages(source, PLATFORMS[name])
  bundle(source, work)
  const { version } = readPackage(source)
  const folder = join(work, `gateway-${version}`)
  layOut(source, folder, { platform: PLATFORMS[name], commit, committedAt })
  const file = join(into, `gateway-${version}-${name}.tgz`)
  copyFileSync(join(folder, 'sbom.cdx.json'), file.replace(/\.tgz$/, '.cdx.json'))
  await pack(folder, file, { committedAt })
  say(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB, of commit ${commit.slice(0, 12)}`)
  return file
}

/** By the bundler of the commit, which knows its files. It finds the compiler of this checkout, because none is installed beside it. */
function bundle(source, work) {
  mkdirSync(join(work, 'node_modules'))
  for (const name of ['esbuild', '@esbuild'])
    symlinkSync(join(root, 'node_modules', name), join(work, 'node_modules', name))
  run(process.execPath, [join('scripts', 'bundle.mjs')], { cwd: source })
}

async function main() {
  const { values } = parseArgs({ options: OPTIONS })
  const uncommitted = run('git', ['status', '--porcelain'], { cwd: root }).split('\n').length - 1
  if (uncommitted > 0 && values.commit === undefined)
    console.error(`${uncommitted} files have changes that are not committed: they are not in the artefact.`)
  const into = values.into === undefined ? undefined : resolve(values.into)
  const platforms = choosePlatforms(values.platform)
  await release({ platforms, ref: values.commit, into, say: (line) => console.log(line) })
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main().catch((error) => {
    console.error(error.message)
    process.exit(1)
  })
