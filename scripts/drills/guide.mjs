// Follows docs/installing.md to the letter: each block that it marks with `run:` is run as it stands, in the order of the page, first in a
// bare container with Node, then on this machine. Only what a reader would choose is given: the ports, and the code from the mail.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BESIDE } from '../bundle.mjs'
import { run } from '../release/run.mjs'
import { makeArtefact } from './artefacts.mjs'
import { newDoor, pay, signUp } from './containers/clients.mjs'
import { findMissing, podman, until } from './containers/podman.mjs'
import { freePort, readMails, removeAll, succeeds, untilReady } from './containers/project.mjs'
import { newFigures } from './figures.mjs'

const GUIDE = fileURLToPath(new URL('../../docs/installing.md', import.meta.url))
// Compose names it after the folder, and the page writes the names of containers out.
const PROJECT = 'gateway'
const TRIAL = `${PROJECT}-guide-trial`
const NODE = 'docker.io/library/node:24-bookworm-slim'

export async function runDrill([given]) {
  const missing = findMissing() ?? findTaken()
  if (missing !== null) return { missing, breaches: [] }
  const figures = newFigures()
  const work = mkdtempSync(join(tmpdir(), 'gateway-guide-'))
  try {
    const file = await makeArtefact(work, 'HEAD', given)
    await followOnMachine(work, file, figures)
    await followWithCompose(work, file, figures)
  } finally {
    succeeds(() => podman('rm', '--force', '--volumes', '--time', '0', TRIAL))
    removeAll(PROJECT)
    for (const tag of ['latest', 'next']) succeeds(() => podman('rmi', '--force', `localhost/gateway:${tag}`))
    rmSync(work, { recursive: true, force: true })
  }
  return { missing: null, breaches: figures.breaches }
}

/** A gateway of somebody's that the walk would change. */
function findTaken() {
  const there = podman('ps', '--all', '--quiet', '--filter', `name=^${PROJECT}_`)
  return there === '' ? null : `there are containers of a project ${PROJECT} on this machine`
}

/** The blocks of a chapter, in order. */
function blocksOf(chapter) {
  const marked = new RegExp(`^<!-- run: ${chapter} -->\\n\`\`\`\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
  return [...readFileSync(GUIDE, 'utf8').matchAll(marked)].map(([, text]) => text)
}

/** "On a machine", in a container that has Debian and Node and nothing of ours. */
async function followOnMachine(work, file, figures) {
  const folder = join(work, 'machine')
  mkdirSync(folder)
  copyFileSync(file, join(folder, basename(file)))
  const script = `set -eu; cd /root; cp /given/*.tgz .\n${blocksOf('machine').join('\n')}`
  podman(
    'run',
    '--detach',
    '--name',
    TRIAL,
    '--network',
    'none',
    '--volume',
    `${folder}:/given:ro`,
    NODE,
    'sh',
    '-c',
    script,
  )
  await until('the trial is ready', 120, () =>
    succeeds(() => podman('exec', TRIAL, 'node', '/root/gateway/bin/healthy.mjs')),
  )
  const load = `for (const name of ${JSON.stringify(BESIDE)}) await import(name)`
  const loading = ['exec', '--workdir', '/root/gateway', TRIAL, 'node', '--input-type=module', '--eval', load]
  figures.holds(
    'On a machine: every package that is beside the bundle loads',
    succeeds(() => podman(...loading)),
  )
  figures.holds(
    'On a machine: it serves, and prints a key',
    /sk_test_\w+/.test(run('sh', ['-c', `podman logs ${TRIAL} 2>&1`])),
  )
}

async function followWithCompose(work, file, figures) {
  const folder = join(work, 'compose')
  mkdirSync(folder)
  copyFileSync(file, join(folder, basename(file)))
  const ports = { HTTPS_PORT: String(await freePort()), HTTP_PORT: String(await freePort()) }
  const follow = (block, { from = folder, code = '' } = {}) =>
    run('sh', ['-euc', block], { cwd: from, env: { ...process.env, ...ports, CODE: code } })
  for (const block of blocksOf('image')) follow(block)
  const [settings, schema, begin, first] = blocksOf('compose')
  const from = join(folder, PROJECT)
  follow(settings)
  follow(schema, { from })
  follow(begin, { from, code: /--code (\w+)/.exec(readMails(`${PROJECT}_data`).join('\n'))?.[1] })
  for (const service of ['web1', 'web2', 'worker']) await untilReady(`${PROJECT}_${service}_1`)
  figures.holds('With compose: the first operator gets a link', follow(first, { from }).includes('/console/'))
  await takePayment(`https://localhost:${ports.HTTPS_PORT}`, figures)
  for (const block of blocksOf('restore')) {
    const said = follow(block, { from })
    figures.holds('Restore: what was restored verifies', /every invariant holds/i.test(said), said)
  }
  podman('tag', 'localhost/gateway:latest', 'localhost/gateway:next')
  for (const block of blocksOf('upgrade')) follow(block, { from })
  const runs = podman('inspect', '--format', '{{.ImageName}}', `${PROJECT}_web2_1`)
  figures.holds('Upgrade: the processes run the next image', runs === 'localhost/gateway:next', runs)
}

async function takePayment(url, figures) {
  const authority = podman('exec', `${PROJECT}_caddy_1`, 'cat', '/data/caddy/pki/authorities/local/root.crt')
  const door = newDoor(url, authority)
  try {
    const key = await signUp(door)
    const answer = await pay(door, key, 'guide')
    figures.holds('With compose: a new merchant is paid', answer?.status === 201, JSON.stringify(answer))
    await readFiles(door, key, figures)
  } finally {
    await door.close()
  }
}

/** What is drawn and served from files of packages, of which an artefact has only a part. */
async function readFiles({ ask }, key, figures) {
  const month = new Date().toISOString().slice(0, 7)
  const statement = await ask(`/v1/statements/${month}.pdf`, { headers: { Authorization: `Bearer ${key}` } })
  const head = (await statement.text()).slice(0, 5)
  figures.holds('its statement is drawn', head === '%PDF-', `${statement.status} ${head}`)
  const reference = await (await ask('/docs/reference')).text()
  const files = [...reference.matchAll(/(?:src|href)="([^"]+\.(?:js|css)[^"]*)"/g)].map(([, path]) => path)
  const answers = await Promise.all(files.map(async (path) => `${(await ask(path)).status} ${path}`))
  const missing = answers.filter((line) => !line.startsWith('200'))
  figures.holds(
    `the reference has its ${files.length} files`,
    files.length >= 3 && missing.length === 0,
    missing.join(', '),
  )
}
