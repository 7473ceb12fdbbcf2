// What each file of the checkout imports and reads, as far as its text says.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'

const CODE = /\.(tsx?|mjs)$/
const IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g
// What is left of an import of types.
const NOTHING_IMPORTED = /\bimport\s*\{\s*\}\s*from\s*['"][^'"]+['"]/g
const LITERAL = /'([^'\n]{2,200})'|"([^"\n]{2,200})"|`([^`\n$]{2,200})`/g
const DECLARED = /(?:\bpage(?:Route)?\(\s*|\bpath: |\bconst [A-Z_]+ = )['"`]\/([a-z][a-z-]*)/g
// Folders that are read as a whole, as a `join` names them. The rules of the tree itself read all of it.
const READ_WHOLE = ['migrations', 'docs', 'ops', 'conformance', 'bin']
const RULES = 'test/tidy/'

/** The files of the checkout, with `edgesOf(path)`, `textOf(path)`, `pathsIn(folder)` and `testOf(name of a test)`. */
export function readTree(root) {
  const paths = git(root, 'ls-files', '--cached', '--others', '--exclude-standard').filter((path) =>
    existsSync(join(root, path)),
  )
  const known = new Set(paths)
  const named = new Map()
  for (const path of paths) named.set(basename(path), [...(named.get(basename(path)) ?? []), path])
  const sourceOf = (path) =>
    [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((one) => known.has(one))
  const textOf = remembered((path) => textIn(root, path))
  const edgesOf = remembered((path) => {
    if (!CODE.test(path)) return []
    const text = textOf(path)
    return [...new Set([...importsIn(path, text, sourceOf), ...readsIn(path, text, { named, paths, sourceOf })])]
  })
  const sectionsOf = remembered((path) => sectionsIn(path, { textOf, edgesOf }))
  return {
    textOf,
    edgesOf,
    sectionsOf,
    pathsIn: (folder) => paths.filter((path) => `${posix.dirname(path)}/` === folder),
    testOf: (name) => [`${name}.test.ts`, `${name}.test.tsx`].find((path) => known.has(path)),
  }
}

/** The lines that git answers. Throws what git says when it refuses. */
export const git = (root, ...words) =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    .split('\n')
    .filter((line) => line !== '')

function remembered(work) {
  const done = new Map()
  return (key) => {
    if (!done.has(key)) done.set(key, work(key))
    return done.get(key)
  }
}

/** Compiled, because imports of types are gone there. */
function textIn(root, path) {
  const compiled = join(root, 'dist', path.replace(/\.tsx?$/, '.js'))
  return readFileSync(/\.tsx?$/.test(path) && existsSync(compiled) ? compiled : join(root, path), 'utf8')
}

const importsIn = (path, text, sourceOf) =>
  [...text.replace(NOTHING_IMPORTED, '').matchAll(IMPORT)]
    .map(([, to]) => sourceOf(posix.join(posix.dirname(path), to)))
    .filter((found) => found !== undefined)

/** Files that a text names by their name (`'checkout.css'`, `'service-process-main.js'`), and whole folders. */
function readsIn(path, text, { named, paths }) {
  const folders = path.startsWith('test/') ? READ_WHOLE : ['migrations']
  if (path.startsWith(RULES)) return paths
  const literals = new Set([...text.matchAll(LITERAL)].map(([, one, two, three]) => one ?? two ?? three))
  return [...literals]
    .filter((literal) => !literal.startsWith('.'))
    .flatMap((literal) => {
      if (folders.includes(literal)) return paths.filter((one) => one.startsWith(`${literal}/`))
      return /\.\w+$/.test(literal) ? namedBy(literal, named).filter((one) => one !== path) : []
    })
}

/**
 * `main.js` is the name of `main.ts` too. With folders before it (`dist/emulator/main.js`) they must be there as well; without, of
 * several programs called `main` the product is meant.
 */
function namedBy(literal, named) {
  const name = basename(literal)
  const all = [name, name.replace(/\.js$/, '.ts'), name.replace(/\.js$/, '.tsx')].flatMap((one) => named.get(one) ?? [])
  const product = all.filter((path) => posix.dirname(path) === 'src')
  if (literal === name && product.length > 0) return product
  const folders = posix.dirname(literal).replace(/^(\.\.?\/)*(dist\/)?/, '')
  return [...new Set(all)].filter((path) => folders === '.' || folders === '' || posix.dirname(path).endsWith(folders))
}

/** The first parts of the addresses that a file of pages, with what it imports from its folder, declares: `payouts` of `/payouts/:id`. */
function sectionsIn(path, { textOf, edgesOf }) {
  const folder = `${posix.dirname(path)}/`
  const files = [path, ...edgesOf(path).filter((to) => to.startsWith(folder))]
  const declared = files.flatMap((one) => [...textOf(one).matchAll(DECLARED)])
  return [...new Set(declared.map(([, section]) => section))]
}
