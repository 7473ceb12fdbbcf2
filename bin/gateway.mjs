#!/usr/bin/env node
// Runs the bundled program. In a checkout it bundles first when a source file or an installed package is newer than the bundle,
// so that `npm start` always runs what is on the disk. An artefact (scripts/release.mjs) has no sources, and nothing is written to it.
import './supported.mjs'
import { existsSync, readdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const program = join(root, 'dist', 'program', 'main.js')
// Besides the sources: which packages there are, and how the bundle is made of both.
const OTHERS = ['package-lock.json', 'node_modules/.package-lock.json', 'tsconfig.json', 'scripts/bundle.mjs']

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** A folder counts too: what was removed from it, or moved to it, is as old as it ever was. */
function newestBelow(folder) {
  let newest = changedAt(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    newest = Math.max(newest, entry.isDirectory() ? newestBelow(path) : changedAt(path))
  }
  return newest
}

const sources = join(root, 'src')
if (existsSync(join(sources, 'main.ts'))) {
  const newest = Math.max(newestBelow(sources), ...OTHERS.map((name) => changedAt(join(root, name))))
  if (newest > changedAt(program)) {
    const { spawnSync } = await import('node:child_process')
    const bundler = join(root, 'scripts', 'bundle.mjs')
    const run = spawnSync(process.execPath, [bundler], { stdio: ['ignore', 2, 2] })
    if (run.status !== 0) process.exit(run.status ?? 1)
  }
  // What V8 has compiled is kept beside the program, where nobody else writes. Node 20 cannot. For an artefact whoever runs it says
  // where, with NODE_COMPILE_CACHE.
  module.enableCompileCache?.(join(root, 'dist', '.compiled'))
}
await import(pathToFileURL(program).href)
