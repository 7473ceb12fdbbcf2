import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { run } from '../../release/run.mjs'

const IMAGES = [
  'docker.io/library/node:24-bookworm-slim',
  'docker.io/library/postgres:15',
  'docker.io/library/caddy:2',
  'docker.io/prom/prometheus:latest',
]
const POLL_MS = 20

export const podman = (...words) => run('podman', words).trim()

/** The same with a text to read: an argument of a program holds at most 128 KiB. */
export const podmanReading = (input, ...words) => run('podman', words, { input }).trim()

/** What a container is, as podman tells it. */
export const inspect = (name) => JSON.parse(podman('inspect', name))[0]

/** Says what this machine lacks for the drill; null when it has all. Images that are not here are fetched, where there is a registry. */
export function findMissing() {
  for (const program of ['podman', 'podman-compose'])
    if (spawnSync(program, ['--version']).error !== undefined) return `${program} is not installed`
  for (const image of IMAGES) {
    if (spawnSync('podman', ['image', 'exists', image]).status === 0) continue
    const { status } = spawnSync('podman', ['pull', '--quiet', image], { timeout: 300_000 })
    if (status !== 0) return `the image ${image} is not here and cannot be fetched`
  }
  return null
}

/** Builds the image of an unpacked artefact. */
export function buildImage(folder, tag) {
  podman('build', '--quiet', '--format', 'docker', '--isolation', 'chroot', '--tag', tag, folder)
  return tag
}

/** Asks again and again until the answer is neither null nor false. Throws after `seconds`. */
export async function until(what, seconds, ask) {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== false) return answer
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${what}`)
    await pause(POLL_MS)
  }
}
