import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { transform } from 'esbuild'
import { made, openedAndVerified } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'
import { INSTALL, inFolder, run } from './made-client.ts'
import { inProjectWith, openedPackage } from './packed-package.ts'
import { ROOT } from './sdk-cases.ts'

const PACKAGE = join(ROOT, 'clients', 'typescript')
const NAME = 'mobile-money-gateway'
const GENERATOR = join(ROOT, 'tools', 'clients', 'node_modules', '@hey-api', 'openapi-ts')
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const MOST_BYTES = 30_000
const STRICT =
  '--noEmit false --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noPropertyAccessFromIndexSignature false'
// Each with the declarations of the package looked into: `skipLibCheck` is off.
const KINDS: Record<string, string> = {
  'as Node runs it, with its types': '--module nodenext --target es2022 --lib es2022 --types node',
  'with the types of browsers alone':
    '--module nodenext --target es2022 --lib es2022,dom,dom.iterable,dom.asynciterable',
  'for a bundler':
    '--module esnext --moduleResolution bundler --target es2022 --lib es2022,dom,dom.iterable,dom.asynciterable',
}

// With its background work, because the programs wait for the end of a payment.
const service = openedAndVerified(() => startService({ role: 'all' }))
const packed = openedPackage(PACKAGE)
const shop = made(async () => ({ key: (await service.merchant()).keys.test }))

const inProject = (work: (folder: string) => Promise<void>): Promise<void> => inProjectWith(packed.file, work)

const copied = (folder: string, name: string) => copyFileSync(join(PACKAGE, 'test', name), join(folder, name))

async function ran(folder: string, file: string, key = shop.key): Promise<string> {
  const env = { ...process.env, GATEWAY_URL: service.url, GATEWAY_KEY: key }
  return (await run(process.execPath, [file], { cwd: folder, env })).stdout
}

async function compile(folder: string, file: string, options: string): Promise<void> {
  const words = `${STRICT} ${options} --typeRoots ${join(ROOT, 'node_modules', '@types')}`.split(' ')
  const types = options.includes('--types') ? [] : ['--types', '']
  await run(process.execPath, [COMPILER, ...words, ...types, file], { cwd: folder }).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  )
}

test('it compiles at its strictest in a project of its own, in each way of finding types, and does a journey', () =>
  inProject(async (folder) => {
    copied(folder, 'strict.ts')
    writeFileSync(
      join(folder, 'old.cts'),
      `import { Gateway } from '${NAME}'\nexport const gateway: Gateway | null = null\n`,
    )
    for (const options of Object.values(KINDS)) await compile(folder, 'strict.ts', options)
    await compile(folder, 'old.cts', KINDS['as Node runs it, with its types'] ?? '')
    const { keys } = await service.merchant()
    assert.deepEqual(JSON.parse(await ran(folder, 'strict.js', keys.test)), {
      field: 'customer',
      status: 'succeeded',
      refund: 5000,
      bulk: 1,
      listed: 6000,
      page: 1,
      seen: [5000, 1],
      reason: 'wrong_signature',
      replayed: false,
    })
  }))

const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))

for (const file of ['plain.mjs', 'common.cjs'])
  test(`it runs in a project of its own as ${file}`, () =>
    inProject(async (folder) => {
      copied(folder, file)
      assert.deepEqual(JSON.parse(await ran(folder, file)), { charges: 0, missing: true, version })
    }))

test('the payment of the README is five lines, and is paid', () =>
  inProject(async (folder) => {
    const readme = readFileSync(join(folder, 'node_modules', NAME, 'README.md'), 'utf8')
    const program = /## A payment\n\n```js\n(.*?)```/s.exec(readme)?.[1] ?? ''
    assert.equal(program.trim().split('\n').length, 5)
    assert.ok(readFileSync(join(ROOT, 'docs', 'guide', 'start.md'), 'utf8').includes(program), 'the guide has it too')
    writeFileSync(join(folder, 'pay.mjs'), program)
    const { keys } = await service.merchant()
    assert.equal(await ran(folder, 'pay.mjs', keys.test), 'succeeded\n')
  }))

test('what is packed is small, brings no packages, and nothing of Node', () =>
  inProject(async (folder) => {
    const own = join(folder, 'node_modules', NAME)
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      [NAME],
    )
    assert.deepEqual(readdirSync(own).toSorted(), ['README.md', 'dist', 'package.json'])
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'))
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
    const program = readFileSync(join(own, 'dist', 'esm', 'gateway-client.js'), 'utf8')
    assert.doesNotMatch(program, /^import\b|\bfrom ['"]|\brequire\(|\bprocess\.|\bBuffer\b/m)
    const { code } = await transform(program, { minify: true })
    assert.ok(code.length < MOST_BYTES, `${code.length} bytes`)
  }))

test(
  'the generated part is what the description gives today',
  { skip: existsSync(GENERATOR) ? false : `@hey-api/openapi-ts is not installed: ${INSTALL}` },
  () =>
    inFolder(async (folder) => {
      const script = join(PACKAGE, 'scripts', 'generate.mjs')
      const { generate }: { generate(folder: string): void } = await import(script)
      generate(folder)
      for (const file of readdirSync(folder))
        assert.equal(
          readFileSync(join(PACKAGE, 'src', 'generated', file), 'utf8'),
          readFileSync(join(folder, file), 'utf8'),
          `${file} is old: node clients/typescript/scripts/generate.mjs`,
        )
    }),
)
