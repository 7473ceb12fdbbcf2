// Which test files reach a changed file: through imports, and through files that they or the product read. The whole product is
// one program, so through imports alone each test over HTTP would reach each page: a surface, and in it each section, counts only
// for tests that ask for its addresses.
import { basename, posix } from 'node:path'
import { git, readTree } from './tree.mjs'

// With one of these anything may be different.
const EVERYTHING = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.mjs', 'scripts/bundle.mjs']
const SURFACES = [
  { folder: 'src/web/checkout/', begins: '/pay/', list: null },
  { folder: 'src/web/dashboard/', begins: '/dashboard', list: 'src/web/dashboard/routes-list.ts' },
  { folder: 'src/web/console/', begins: '/console', list: 'src/web/console/routes-list.ts' },
]

/** Paths from the root of what differs from the commit `ref` in the working tree, with files that git does not know yet. */
export const changedSince = (root, ref) =>
  [
    ...new Set([
      ...git(root, 'diff', '--name-only', '--no-renames', ref, '--'),
      ...git(root, 'ls-files', '--others', '--exclude-standard'),
    ]),
  ].sort()

/** Of the test files (`test/payments/charges/charge`), those that reach a changed file, each with the changed files that it reaches. */
export function reachedBy(root, changed, tests) {
  if (changed.some((path) => EVERYTHING.includes(path))) return new Map(tests.map((name) => [name, changed]))
  const tree = readTree(root)
  const wanted = new Set(changed)
  const reached = tests.map((name) => [name, reachOf(tree, tree.testOf(name)).filter((path) => wanted.has(path))])
  return new Map(reached.filter(([, paths]) => paths.length > 0))
}

/**
 * Where only pages and forms of some sections have changed: the files that declare these sections, for walks over all pages
 * (test/helpers/web/changed-routes.ts). Null where anything may look different.
 */
export function changedRoutes(root, changed) {
  const tree = readTree(root)
  const each = changed.filter((path) => !path.endsWith('.md')).map((path) => routesThatShow(tree, path))
  return each.length === 0 || each.some((some) => some.length === 0) ? null : [...new Set(each.flat())].sort()
}

/** The files with routes whose pages reach this file; none where the frame of all pages does, or where it is of no surface. */
function routesThatShow(tree, path) {
  const surface = SURFACES.find(({ folder, list }) => list !== null && path.startsWith(folder))
  if (surface === undefined) return []
  const onward = (from) => (from === surface.list ? [] : tree.edgesOf(from))
  const frame = tree.pathsIn(surface.folder).filter((one) => one !== surface.list)
  if (everythingFrom(frame, onward).has(path)) return []
  return tree.edgesOf(surface.list).filter((one) => everythingFrom([one], onward).has(path))
}

/** Every file that this test reaches, itself included. */
function reachOf(tree, test) {
  const own = ownOf(tree, test)
  const text = own.map((path) => tree.textOf(path)).join('\n')
  const asks = {
    surfaces: SURFACES.filter(({ begins }) => text.includes(begins)),
    lists: SURFACES.filter(({ list }) => list !== null && text.includes(basename(list, '.ts'))),
    sections: new Set([...withoutImports(text).matchAll(/(?<!\/v1)\/([a-z][a-z-]*)/g)].map(([, section]) => section)),
  }
  const all = everythingFrom([test], (path) =>
    tree.edgesOf(path).filter((to) => counts(tree, { from: path, to, asks })),
  )
  return [...all]
}

// Their paths read like addresses.
const withoutImports = (text) => text.replace(/\bfrom\s*['"][^'"]+['"]/g, '')

/** The test file and what it imports from its own folder: its world, its steps. Helpers of all tests name addresses for others. */
const ownOf = (tree, test) => [
  ...everythingFrom([test], (path) => tree.edgesOf(path).filter((to) => to.startsWith(`${posix.dirname(test)}/`))),
]

function everythingFrom(beginnings, nextOf) {
  const seen = new Set(beginnings)
  for (const path of seen) for (const next of nextOf(path)) seen.add(next)
  return seen
}

/** Whether what `from` imports or reads of `to` counts for a test that asks for these surfaces, whole lists and sections. */
function counts(tree, { from, to, asks }) {
  const surface = SURFACES.find(({ folder }) => to.startsWith(folder))
  if (surface === undefined || !from.startsWith('src/')) return true
  if (!from.startsWith(surface.folder)) return asks.surfaces.includes(surface)
  if (from !== surface.list || asks.lists.includes(surface)) return true
  const sections = tree.sectionsOf(to)
  return sections.length === 0 || sections.some((section) => asks.sections.has(section))
}
