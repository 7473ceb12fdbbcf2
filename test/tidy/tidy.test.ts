import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TABLE_WRITERS } from '../../src/platform/db/tables.ts'
import { functionsOf } from './functions.ts'
import { ORDER, rankOf, roomOf } from './rooms.ts'
import { lineOf, type Source, sourcesOf } from './sources.ts'

const isTest = ({ path }: Source) => path.endsWith('.test.ts') || path.startsWith('test/')
const ALL = [
  ...sourcesOf('src', '.ts', '.tsx'),
  ...['test', 'bench', 'emulator'].flatMap((folder) => sourcesOf(folder, '.ts')),
]
const SRC = ALL.filter((source) => source.path.startsWith('src/') && !isTest(source))
const SCRIPTS = [...sourcesOf('scripts', '.mjs'), ...sourcesOf('bin', '.mjs')]
// Of clients only what is written by hand.
const CLIENT = sourcesOf('clients/typescript/src', '.ts').filter(({ path }) => !path.includes('/generated/'))
const CLI = sourcesOf('clients/cli/src', '.ts')
const CLIENTS = [...CLIENT, ...CLI]
const MIGRATIONS = sourcesOf('migrations', '.sql')

const PROGRAM = ORDER.length - 1
// Types that every folder may import: every operation gets the App, and any folder may know the name of a setting.
const TYPES_OF_ALL: Record<string, string[]> = {
  'src/program/app.ts': ['App', 'Gateway'],
  'src/program/settings/config.ts': ['Config'],
}

// Each table is written by statements in its owner's folder only.
const OWNERS = TABLE_WRITERS
const OTHER_WRITERS: string[] = []

// A wrong state of these tables pays or dispenses twice, so one file alone writes each, and only along its table of moves.
const ONE_WRITER: Record<string, string> = { dispense_claims: 'src/selling/vending/dispensing/move-claim.ts' }

const MAX_IN_SRC = 12
const LONGEST_FILE = 250
const LONGEST_FUNCTION = 60
const LONG_FUNCTION = 40

const isTestPath = (path: string) => path.endsWith('.test.ts') || !path.startsWith('src/')
const folderOf = (path: string) => roomOf(path).replace(/^.*\//, '')
const none = (violations: string[]) => assert.deepEqual(violations, [])

/** Where a pattern occurs in one part of these files, as path:line. */
function places(sources: readonly Source[], part: 'code' | 'strings' | 'text', pattern: RegExp): string[] {
  return sources.flatMap((source) =>
    [...source[part].matchAll(pattern)].map(
      (match) => `${source.path}:${lineOf(source.text, match.index)} ${match[0].trim()}`,
    ),
  )
}

test('every folder of src has its place in the order', () => {
  none([...new Set(SRC.map(({ path }) => roomOf(path)))].filter((room) => rankOf(room) === -1))
  const wings = new Set(SRC.map(({ path }) => path.replace(/^src\/([^/]+).*/, '$1')))
  assert.ok(wings.size <= MAX_IN_SRC, `${wings.size} in src`)
})

test('a file imports its own folder and what stands before it in the order', () => {
  const wrong = SRC.flatMap(({ path, imports }) => {
    const own = roomOf(path)
    return imports
      .filter(({ path: target }) => target.startsWith('src/') && roomOf(target) !== own)
      .filter(({ path: target }) => rankOf(roomOf(target)) >= rankOf(own) && rankOf(own) < PROGRAM)
      .filter(({ path: target, names, typeOnly }) => {
        const free = TYPES_OF_ALL[target]
        return !(typeOnly && free && names.every((name) => free.includes(name)))
      })
      .map(({ line, path: target, names }) => `${path}:${line} imports ${names.join(', ')} of ${target}`)
  })
  none(wrong)
})

test('nothing in src, bench or scripts imports a test, and src imports neither bench nor emulator', () => {
  const product = [...SRC, ...SCRIPTS]
  none(
    product.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => /^(?:test|bench|emulator)\/|\.test\.[jt]s$/.test(imported.path))
        .map((imported) => `${path}:${imported.line}`),
    ),
  )
})

test('the emulator imports nothing of src, and has one clock and one source of chance', () => {
  const emulator = ALL.filter(({ path }) => path.startsWith('emulator/'))
  none(
    emulator.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => /^(?:src|test|bench)\//.test(imported.path))
        .map((imported) => `${path}:${imported.line}`),
    ),
  )
  const others = emulator.filter(({ path }) => path !== 'emulator/clock.ts')
  none(places(others, 'code', /\bnew Date\(\s*\)|\bDate\.now\(|\bMath\.random\(/g))
})

test('only platform/time/clock.ts reads the time', () => {
  const others = SRC.filter(({ path }) => path !== 'src/platform/time/clock.ts')
  none(places(others, 'code', /\bnew Date\(\s*\)|\bDate\.now\(/g))
})

test('no SQL reads the time of the database', () => {
  const ofDatabase =
    /(?<![.\w])(?:now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\b(?:current_(?:date|timestamp|time)|localtimestamp)\b/gi
  // It compares the two clocks, for all who want to know: nothing is dated by what it reads.
  const product = SRC.filter(({ path }) => path !== 'src/platform/time/clock-witness.ts')
  // What changes a number past the service gives a false time or none.
  const migrations = MIGRATIONS.filter(({ path }) => path !== 'migrations/cell/0095_numbers_wait.sql')
  none([...places(product, 'strings', ofDatabase), ...places(migrations, 'text', ofDatabase)])
})

test('only program/settings/config.ts reads the environment', () => {
  none(
    places(SRC, 'code', /\bprocess\s*\.\s*env\b/g).filter(
      (place) => !place.startsWith('src/program/settings/config.ts:'),
    ),
  )
})

test('nothing watches promises, which costs every payment, but what is used where that is free', () => {
  const others = SRC.filter(({ path }) => path !== 'src/platform/log/async-context.ts')
  none(
    others.flatMap(({ path, imports }) =>
      imports.filter((imported) => /\basync_hooks$/.test(imported.path)).map((imported) => `${path}:${imported.line}`),
    ),
  )
})

test('a client works everywhere: it imports nothing but its own files', () => {
  const others = CLIENT.flatMap(({ path, imports }) =>
    imports.filter((imported) => !imported.path.startsWith('clients/')).map(({ line }) => `${path}:${line}`),
  )
  assert.ok(CLIENT.length > 10)
  none([...others, ...places(CLIENT, 'code', /\b(?:process|Buffer|require)\b/g)])
})

test('the command line brings what Node has, the client, and of the product what is pure', () => {
  const allowed =
    /^(?:node:|clients\/|src\/platform\/(?:refusal|text\/\w+)|src\/merchants\/webhooks\/(?:signature|grading\/(?!grade-address)\w)|src\/payments\/payouts\/bulk\/)/
  assert.ok(CLI.length > 10)
  none(
    CLI.flatMap(({ path, imports }) =>
      imports.filter((imported) => !allowed.test(imported.path)).map((imported) => `${path}:${imported.line}`),
    ),
  )
})

test('only commands print to the terminal', () => {
  const others = SRC.filter(({ path }) => path !== 'src/main.ts' && folderOf(path) !== 'commands')
  none(places(others, 'code', /\bconsole\.\w+/g))
})

test(`no file is longer than ${LONGEST_FILE} lines`, () => {
  const long = [...ALL, ...SCRIPTS, ...CLIENTS].map(({ path, text }) => ({
    path,
    lines: text.trimEnd().split('\n').length,
  }))
  none(long.filter(({ lines }) => lines > LONGEST_FILE).map(({ path, lines }) => `${path} has ${lines} lines`))
})

test(`no function is longer than ${LONGEST_FUNCTION} lines`, (context) => {
  const all = [...ALL, ...CLIENTS].flatMap(functionsOf)
  assert.ok(all.length > 300, 'the functions were found')
  const say = (foundFunction: (typeof all)[number]) =>
    `${foundFunction.path}:${foundFunction.line} ${foundFunction.length} lines: ${foundFunction.name}`
  const product = all.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
  for (const one of product.filter(({ length }) => length > LONG_FUNCTION)) context.diagnostic(say(one))
  // A test tells a whole story, so it may be twice as long as a function of the product.
  const limit = (path: string) =>
    isTestPath(path) && !path.startsWith('clients/') ? 2 * LONGEST_FUNCTION : LONGEST_FUNCTION
  none(all.filter(({ length, path }) => length > limit(path)).map(say))
})

test('there are no default exports, and src and clients have no `as any`', () => {
  const product = [...SRC, ...CLIENTS]
  none([...places([...ALL, ...CLIENTS], 'code', /\bexport default\b/g), ...places(product, 'code', /\bas any\b/g)])
})

test('every table has an owner, and only statements in its folder write it', () => {
  const made = MIGRATIONS.flatMap(({ text }) => [...text.matchAll(/create (?:unlogged )?table (\w+)/g)])
  const unowned = made.map((match) => match[1] as string).filter((table) => !(table in OWNERS))
  none(unowned.map((table) => `${table} has no owner`))
  const write = /\b(?:insert into|update|delete from|truncate(?: table)?)\s+(?:only\s+)?(?:[a-z_]*\s*\.)?([a-z_]+)/g
  // Not names of tables: `for update skip locked`, `do update set`, `before update or delete`.
  const noTable = ['set', 'skip', 'nowait', 'of', 'or', 'on', 'delete', 'truncate', 'from']
  const writes = SRC.flatMap((source) =>
    [...source.strings.matchAll(write)]
      .filter((match) => !noTable.includes(match[1] as string))
      .map((match) => ({
        path: source.path,
        place: `${source.path}:${lineOf(source.strings, match.index)}`,
        folder: folderOf(source.path),
        table: match[1] as string,
      })),
  )
  const foreign = writes.filter(({ folder, table }) => OWNERS[table] !== folder)
  const said = ({ folder, table }: { folder: string; table: string }) => `${folder} writes ${table}`
  none(foreign.filter((one) => !OTHER_WRITERS.includes(said(one))).map((one) => `${one.place} ${said(one)}`))
  none(OTHER_WRITERS.filter((exception) => !foreign.some((one) => said(one) === exception)))
  assert.ok(writes.length > 30, 'the statements were found')
  const doors = Object.entries(ONE_WRITER)
  const past = writes.filter(({ path, table }) => path !== (ONE_WRITER[table] ?? path))
  none(past.map(({ place, table }) => `${place} writes ${table}, not ${ONE_WRITER[table]}`))
  none(doors.filter(([table, path]) => !writes.some((write) => write.table === table && write.path === path)).flat())
})

test('everything that is exported is imported by somebody', () => {
  const exported = ALL.flatMap(({ path, code }) =>
    [...code.matchAll(/^export (?:async )?(?:const|let|class|function)\s+(\w+)/gm)].map((match) => ({
      path,
      name: match[1] as string,
      line: lineOf(code, match.index),
    })),
  )
  assert.ok(exported.length > 150, 'the exports were found')
  const used = new Set(
    [...ALL, ...SCRIPTS].flatMap(({ imports }) =>
      imports.flatMap(({ path, names }) => names.map((name) => `${sourceOf(path)} ${name}`)),
    ),
  )
  const unused = exported.filter(({ path, name }) => !used.has(`${sourceOf(path)} ${name}`))
  none(unused.map(({ path, name, line }) => `${path}:${line} ${name}`))
})

/** The source of an import. Scripts import its compiled file. */
const sourceOf = (path: string) => path.replace(/^dist\//, '').replace(/\.(?:js|tsx?)$/, '')
