// The release in containers, from the artefact to the end: its image, one process of it, and compose.yaml with a sandbox payment over HTTPS, an
// upgrade from the last release while payments run, a database that is away for ten seconds, and a clean end. Nothing of it stays.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runBeside } from '../release/run.mjs'
import { findLastRelease, makeArtefact, unpackArtefact } from './artefacts.mjs'
import { newDoor, pay, payAllTheTime, read, signUp } from './containers/clients.mjs'
import { examineImage } from './containers/image.mjs'
import { holdAll, measureOneProcess } from './containers/one-process.mjs'
import { buildImage, findMissing, podman, until } from './containers/podman.mjs'
import { close, openProject, prepare, removeAll, start, succeeds } from './containers/project.mjs'
import { newFigures } from './figures.mjs'

const AWAY_MS = 10_000
const MAX_BACK_S = 15
const LOAD_MS = 3000
// A drill that hangs is worse than one that fails.
const MAX_MS = 25 * 60_000

/** `given`: the artefact of now, and that of the last release, where they were made before. */
export async function runDrill(given) {
  const missing = findMissing()
  if (missing !== null) return { missing, breaches: [] }
  const figures = newFigures()
  const work = mkdtempSync(join(tmpdir(), 'gateway-drill-'))
  const name = `gateway-drill-${process.pid}`
  const images = [`localhost/${name}:last`, `localhost/${name}:new`]
  const clean = () => {
    removeAll(name)
    for (const image of images) succeeds(() => podman('rmi', '--force', image))
    rmSync(work, { recursive: true, force: true })
  }
  const stop = () => {
    clean()
    process.exit(1)
  }
  const late = setTimeout(stop, MAX_MS)
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    await drill({ figures, work, name, images, given })
  } finally {
    clearTimeout(late)
    clean()
  }
  figures.holds('nothing is left of it', podman('ps', '--all', '--quiet', '--filter', `name=${name}`) === '')
  return { missing: null, breaches: figures.breaches }
}

async function drill({ figures, work, name, images, given }) {
  const [last, newest] = images
  const now = unpackArtefact(await makeArtefact(work, 'HEAD', given[0]), join(work, 'now'))
  const before = unpackArtefact(await makeArtefact(work, findLastRelease(), given[1]), join(work, 'before'))
  // A release from before this drill has no file for an image and starts in another way; it is the program that is to be the older one.
  for (const path of ['Containerfile', 'bin']) cpSync(join(now, path), join(before, path), { recursive: true })
  buildImage(before, last)
  const began = performance.now()
  buildImage(now, newest)
  figures.note('the image is built in', seconds(began), 's')
  examineImage(newest, figures)
  const project = await openProject(now, name, last)
  await prepare(project)
  const startedAt = performance.now()
  const authority = await start(project)
  figures.note('compose.yaml, from nothing to all processes ready, on the last release', seconds(startedAt), 's')
  const door = newDoor(project.url, authority)
  try {
    const key = await takeFirstPayment(door, figures)
    await upgrade(project, { door, key, image: newest, figures })
    await measureOneProcess(project, { image: newest, key, figures })
    await loseDatabase(project, { door, key, figures })
  } finally {
    await door.close()
  }
  const endedAt = performance.now()
  const codes = close(project)
  figures.note('it comes down in', seconds(endedAt), 's')
  const unclean = Object.entries(codes).filter(([, code]) => code !== 0)
  figures.holds('each container ended with 0', unclean.length === 0, JSON.stringify(codes))
}

const seconds = (from) => ((performance.now() - from) / 1000).toFixed(1)

/** As somebody who has just heard of it: a business of their own, and the first payment of its test mode. */
async function takeFirstPayment(door, figures) {
  const key = await signUp(door)
  const answer = await pay(door, key, 'first')
  figures.holds('a new merchant is paid over HTTPS', answer.status === 201, JSON.stringify(answer))
  const balance = async () => (await read(door, key, '/v1/balance')).balances?.[0]?.available
  const paid = await until('the payment is in the balance', 30, async () => (await balance()) > 0 && (await balance()))
  figures.note('its balance', paid, 'UGX')
  return key
}

/** As docs/installing.md upgrades it, while it is paid. */
async function upgrade(project, { door, key, image, figures }) {
  const before = migrationsOf(project)
  const load = payAllTheTime(door, key, 'upgrade')
  await pause(LOAD_MS)
  const began = performance.now()
  await runBeside('sh', ['ops/compose/upgrade.sh', image], {
    cwd: project.folder,
    env: { ...process.env, COMPOSE_PROJECT_NAME: project.name },
  })
  figures.note('the upgrade takes', seconds(began), 's')
  await pause(LOAD_MS)
  await load.stop()
  figures.note('migrations of the upgrade', migrationsOf(project) - before)
  figures.note('longest time without an answered payment', Math.round(load.longestGapMs), 'ms')
  const { failures } = load
  figures.holds('no request failed', failures.length === 0, `${failures.length}: ${failures.slice(0, 5).join('; ')}`)
  holdAll(project, { load, figures, what: 'all that was acknowledged is stored' })
}

const migrationsOf = ({ sql }) => Number(sql('select count(*) from cell_0.migration_checksums'))

/** The database stands still for ten seconds while payments come. */
async function loseDatabase(project, { door, key, figures }) {
  const load = payAllTheTime(door, key, 'away')
  await pause(LOAD_MS)
  podman('pause', project.container('postgres'))
  const before = load.acknowledged.size
  await pause(AWAY_MS)
  podman('unpause', project.container('postgres'))
  const backAt = performance.now()
  const during = load.acknowledged.size
  await until('payments are taken again', 60, () => load.acknowledged.size > during)
  figures.below('payments are taken again after', seconds(backAt), MAX_BACK_S, 's')
  await pause(LOAD_MS)
  await load.stop()
  figures.note('acknowledged before, refused or unanswered meanwhile', `${before}, ${load.failures.length}`)
  holdAll(project, { load, figures, what: 'all that was acknowledged is stored' })
  const { sql } = project
  const open = `select count(*) from cell_0.charges where status in ('pending', 'authorized')`
  await until('every payment has ended', 120, () => sql(open) === '0')
  const doubled = sql('select count(*) - count(distinct reference) from cell_0.charges')
  figures.holds('none was made twice', doubled === '0', doubled)
  figures.holds(
    'the books hold',
    succeeds(() => project.gateway('verify')),
  )
}
