import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow, prunePackages, readPackage } from './packages.mjs'
import { collectLicences, listParts } from './papers.mjs'

// Of the sources: files that pages load, which are read where they lie.
const IS_CODE = /\.tsx?$/
const FOLDERS = ['bin', 'dist/program', 'migrations', 'ops']
const FILES = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'Containerfile', 'compose.yaml', 'compose.grafana.yaml']

/**
 * Lays out what is installed, in a new folder: the bundle, the packages beside it, and the files that it reads or that its operator
 * needs. `source` has the sources with their bundle and installed packages, which are moved out of it.
 */
export function layOut(source, folder, { platform, commit, committedAt }) {
  mkdirSync(folder, { recursive: true })
  const modules = join(source, 'node_modules')
  writeFileSync(join(folder, 'LICENCES.txt'), collectLicences(modules))
  writeFileSync(join(folder, 'sbom.cdx.json'), listParts(source, { committedAt }))
  for (const path of pathsOf(source)) copy(source, folder, path)
  cpSync(modules, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  prunePackages(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), describe(source, { platform, commit }))
}

function pathsOf(source) {
  const below = (folder) => (existsSync(join(source, folder)) ? filesBelow(join(source, folder)) : [])
  return [
    ...FILES.filter((path) => existsSync(join(source, path))),
    ...FOLDERS.flatMap((name) => below(name).map((path) => `${name}/${path}`)),
    ...below('src')
      .filter((path) => !IS_CODE.test(path))
      .map((path) => `src/${path}`),
    // The pages that people read; not those for who changes the program.
    ...below('docs')
      .filter((path) => /^(?:guide\/)?[\w-]+\.(md|json)$/.test(path))
      .map((path) => `docs/${path}`),
  ]
}

function copy(source, folder, path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(join(source, path), join(folder, path))
}

/** What Node and the program read of package.json, with the platform and the commit, which /healthz shows. */
function describe(source, { platform: { os, cpu }, commit }) {
  const { name, version, description, license, type, bin, engines } = readPackage(source)
  const facts = { name, version, private: true, description, license, type, bin, engines }
  return `${JSON.stringify({ ...facts, os: [os], cpu: [cpu], gitHead: commit }, null, 2)}\n`
}
