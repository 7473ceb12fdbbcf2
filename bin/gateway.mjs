#!/usr/bin/env node
// Runs the compiled program. In a checkout it compiles first when a source file is newer than the last build,
// so that `npm start` always runs what is on the disk; an installed package carries only dist/ and skips that.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, 'dist', '.tsbuildinfo')

function newestSource(dir) {
  let newest = 0
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    newest = Math.max(newest, entry.isDirectory() ? newestSource(path) : statSync(path).mtimeMs)
  }
  return newest
}

const sources = join(root, 'src')
if (existsSync(sources) && (!existsSync(built) || newestSource(sources) > statSync(built).mtimeMs)) {
  const run = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] })
  if (run.status !== 0) process.exit(run.status ?? 1)
}
await import(new URL('../dist/src/main.js', import.meta.url).href)
