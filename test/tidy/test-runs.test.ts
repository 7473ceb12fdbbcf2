import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { sourcesOf } from './sources.ts'

// What runs the tests is no part of the product: it is tried from outside, on a small checkout of its own.
const SCRIPTS = join(import.meta.dirname, '..', '..', '..', 'scripts')
const PARTS = 'service/parts.ts'
const checkout = mkdtempSync(join(tmpdir(), 'gateway-runs-'))
after(() => rmSync(checkout, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    writeFileSync(join(checkout, path), text)
  }
}

/** What a program says that may use the scripts. */
function says(program: string): string {
  const text = program.replace(/from '\.\/([\w-]+)\.mjs'/g, (_, name) => `from '${join(SCRIPTS, `${name}.mjs`)}'`)
  // It is no test of this run.
  const { NODE_TEST_CONTEXT: _, ...own } = process.env
  const env = { ...own, TEST_UNSTEADY_LIST: join(checkout, 'unsteady') }
  write({ 'program.mjs': text })
  return execFileSync(process.execPath, ['program.mjs'], { cwd: checkout, env, encoding: 'utf8' })
}

test('a test runs again for what it imports, for what that reads, and for pages whose addresses it asks for; walks look at changed pages', () => {
  write({
    'src/fees.ts': 'export const fee = 1',
    'src/migrate.ts': "export const from = join(ROOT, 'migrations')",
    'migrations/0001.sql': 'select 1',
    'src/app.ts':
      "import './migrate.ts'\nimport './web/dashboard/dashboard.ts'\nimport type { Fee } from './fees.ts'\nexport const a = 1",
    'src/web/dashboard/dashboard.ts': "import { ROUTES } from './routes-list.ts'\nexport const shell = ROUTES",
    'src/web/dashboard/routes-list.ts':
      "import './payouts/routes.ts'\nimport './charges/routes.ts'\nexport const ROUTES = []",
    'src/web/dashboard/payouts/routes.ts': "import './list.tsx'\nexport const P = [pageRoute('/payouts', show)]",
    'src/web/dashboard/payouts/list.tsx': "export const styles = 'list.css'",
    'src/web/dashboard/payouts/list.css': '',
    'src/web/dashboard/charges/routes.ts': "export const C = [pageRoute('/charges/:id', show)]",
    'test/fees.test.ts': "import { fee } from '../src/fees.ts'",
    'test/api.test.ts': "import '../src/app.ts'\nget('/v1/payouts')",
    'test/payouts.test.ts': "import '../src/app.ts'\nget('/dashboard/payouts/new')",
    'test/charges.test.ts': "import '../src/app.ts'\nget('/dashboard/charges')",
    'test/every.test.ts':
      "import '../src/app.ts'\nimport { ROUTES } from '../src/web/dashboard/routes-list.ts'\nget('/dashboard')",
  })
  execFileSync('git', ['init', '-q'], { cwd: checkout })
  const names = ['fees', 'api', 'payouts', 'charges', 'every'].map((name) => `test/${name}`)
  // As the compiler leaves it: imports of types are gone.
  write({
    'dist/src/app.js': "import './migrate.js'\nimport './web/dashboard/dashboard.js'\nimport {} from './fees.js'",
  })
  const reached = (path: string): string[] =>
    JSON.parse(
      says(`import { reachedBy } from './reached.mjs'
        const found = reachedBy(process.cwd(), ['${path}'], ${JSON.stringify(names)})
        console.log(JSON.stringify([...found.keys()]))`),
    ).map((name: string) => name.slice('test/'.length))
  assert.deepEqual(reached('src/fees.ts'), ['fees'])
  assert.deepEqual(reached('migrations/0001.sql'), ['api', 'payouts', 'charges', 'every'])
  assert.deepEqual(reached('src/web/dashboard/payouts/list.tsx'), ['payouts', 'every'])
  assert.deepEqual(reached('src/web/dashboard/payouts/list.css'), ['payouts', 'every'])
  assert.deepEqual(reached('src/web/dashboard/charges/routes.ts'), ['charges', 'every'])
  assert.deepEqual(reached('src/web/dashboard/dashboard.ts'), ['payouts', 'charges', 'every'])
  assert.deepEqual(reached('test/api.test.ts'), ['api'])
  assert.deepEqual(reached('README.md'), [])
  assert.deepEqual(reached('package.json'), ['fees', 'api', 'payouts', 'charges', 'every'])
  const walked = (...paths: string[]): string[] | null =>
    JSON.parse(
      says(`import { changedRoutes } from './reached.mjs'
        console.log(JSON.stringify(changedRoutes(process.cwd(), ${JSON.stringify(paths)})))`),
    )
  assert.deepEqual(walked('src/web/dashboard/payouts/list.css', 'CHANGELOG.md'), [
    'src/web/dashboard/payouts/routes.ts',
  ])
  assert.deepEqual(walked('src/web/dashboard/payouts/list.tsx', 'src/web/dashboard/charges/routes.ts'), [
    'src/web/dashboard/charges/routes.ts',
    'src/web/dashboard/payouts/routes.ts',
  ])
  assert.equal(walked('src/web/dashboard/dashboard.ts'), null)
  assert.equal(walked('src/web/dashboard/payouts/list.tsx', 'src/fees.ts'), null)
  assert.equal(walked('CHANGELOG.md'), null)
})

/** What is said of a run of these files, and how it ends. */
function reportOf(files: readonly string[], options = '{ again: runOne }'): string {
  const paths = files.map((name) => join(checkout, name))
  return says(`import { run } from 'node:test'
    import { report } from './reporter.mjs'
    const runOne = (path) => run({ files: [path], concurrency: 1 })
    const paths = ${JSON.stringify(paths)}
    for await (const line of report(paths.map(runOne), paths, ${options})) process.stdout.write(line)
    console.log('exit', process.exitCode ?? 0)
    process.exitCode = 0`)
}

test('where it is asked for, the last lines name each test that is left out, with its reason', () => {
  const leaving = `import { describe, test } from 'node:test'
    describe(new URL(import.meta.url).pathname, () => {
      test('holds', () => {})
      test('is elsewhere', { skip: 'nothing of it is here' }, () => {})
    })`
  write({ 'leaving.mjs': leaving })
  const said = reportOf(['leaving.mjs'], '{ tellsSkipped: true }')
  assert.match(said, /# left out: .*leaving\.mjs: is elsewhere: nothing of it is here\n# tests 2\n/)
  assert.doesNotMatch(reportOf(['leaving.mjs'], '{}'), /left out/)
})

test('a file of a room of its own ends when its seconds are over, and is a failure', () => {
  write({
    'dist/hanging.test.js': `import { test } from 'node:test'\ntest('waits', () => new Promise((resolve) => setTimeout(resolve, 60_000)))`,
  })
  const room = join(SCRIPTS, 'run-room.mjs')
  write({ 'scripts/room.mjs': readFileSync(room, 'utf8') })
  const ended = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      "import('./scripts/room.mjs').then(({ runRoom }) => runRoom(['dist/hanging.test.js']))",
    ],
    {
      cwd: checkout,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_FILE_SECONDS: '1' },
      encoding: 'utf8',
    },
  )
  assert.equal(ended.status, 1)
  assert.match(ended.stderr, /^dist\/hanging\.test\.js: after 1 seconds still open: /m)
})

test('nothing of a room runs before all of its files are loaded', () => {
  const noting = (name: string) => `import { test } from 'node:test'
    console.log('# loading ${name}')
    await new Promise((resolve) => setTimeout(resolve, 50))
    test('one', () => console.log('# running ${name}'))`
  write({ 'dist/a.test.js': noting('a'), 'dist/b.test.js': noting('b') })
  write({ 'scripts/room.mjs': readFileSync(join(SCRIPTS, 'run-room.mjs'), 'utf8') })
  const room = "import('./scripts/room.mjs').then(({ runRoom }) => runRoom(['dist/a.test.js', 'dist/b.test.js']))"
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', room], {
    cwd: checkout,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    encoding: 'utf8',
  })
  const told = ended.stdout.match(/# (?:loading|running) ./g)
  assert.deepEqual(told, ['# loading a', '# loading b', '# running a', '# running b'])
})

test('a file that has not begun in time is named and not run, and the others count', () => {
  const suite = (how: string) => `import { describe, test } from 'node:test'
    describe(new URL(import.meta.url).pathname, ${how})`
  write({
    'early.mjs': suite("() => test('holds', () => {})"),
    'late.mjs': suite("{ skip: 'the time of the run was over' }, () => {}"),
  })
  const said = reportOf(['early.mjs', 'late.mjs'], '{}')
  assert.match(said, /# not run: .*late\.mjs: the time of the run was over\n/)
  assert.match(said, /# pass 1\n# fail 0\n[\s\S]*exit 0/)
})

test('a file that fails once is run again and named as unsteady; one that fails twice fails the run', () => {
  const failing = (times: number) => `import { describe, test } from 'node:test'
    import { appendFileSync, readFileSync } from 'node:fs'
    const here = new URL(import.meta.url).pathname
    describe(here, () => {
      test('holds', () => {})
      test('counts', () => {
        appendFileSync(here + '.runs', 'x')
        if (readFileSync(here + '.runs').length <= ${times}) throw new Error('not this time')
      })
    })`
  write({ 'once.mjs': failing(1), 'twice.mjs': failing(2), 'never.mjs': failing(0) })
  const steady = reportOf(['never.mjs', 'once.mjs'])
  assert.match(steady, /# unsteady: .*once\.mjs: counts: not this time\n# tests 4\n/)
  assert.match(steady, /# pass 4\n# fail 0\n[\s\S]*exit 0/)
  const broken = reportOf(['twice.mjs'])
  assert.match(broken, /# failed: .*twice\.mjs: counts: not this time\n/)
  assert.match(broken, /# unsteady: .*once\.mjs/, 'what an earlier run has named stays in the last lines')
  assert.match(broken, /exit 1/)
})

test('tests that were not run because their preparation failed count for nothing once they have passed', () => {
  write({
    'hook.mjs': `import { before, describe, test } from 'node:test'
      import { appendFileSync, readFileSync } from 'node:fs'
      const here = new URL(import.meta.url).pathname
      describe(here, () => {
        before(() => {
          appendFileSync(here + '.runs', 'x')
          if (readFileSync(here + '.runs').length < 2) throw new Error('not prepared')
        })
        for (const name of ['one', 'two', 'three']) test(name, () => {})
      })`,
  })
  const said = reportOf(['hook.mjs'])
  assert.match(said, /# pass 3\n# fail 0\n# cancelled 0\n[\s\S]*exit 0/)
  assert.deepEqual(said.match(/^# unsteady: .*hook.*$/gm)?.length, 1)
})

test('the list of long tests names exactly the files that mark some of their tests as long', () => {
  const list = says(`import { WITH_LONG_TESTS } from './long-tests.mjs'
    console.log(JSON.stringify(WITH_LONG_TESTS))`)
  const marking = sourcesOf('test', '.test.ts')
    .concat(sourcesOf('src', '.test.ts'))
    .filter(({ text }) => text.includes(PARTS) && !text.includes('const PARTS ='))
  const named = marking.map(({ path }) => path.replace(/\.test\.ts$/, '')).sort()
  assert.deepEqual(named, (JSON.parse(list) as string[]).sort())
  // A test of node itself would run in both parts, unless it is one that has a size for each.
  const both = marking.filter(({ text }) => /import \{[^}]*\b(test|it)\b[^}]*\} from 'node:test'/.test(text))
  const unsized = both.filter(({ text }) => !/\b(sized|inThisRun|inTurn)\b/.test(text)).map(({ path }) => path)
  assert.deepEqual(unsized, [])
})
