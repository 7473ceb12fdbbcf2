import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import test from 'node:test'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'
import { run } from './made-client.ts'
import { inProjectWith, openedPackage } from './packed-package.ts'
import { ROOT } from './sdk-cases.ts'

const NAME = 'mobile-money-gateway-cli'
const MOST_BYTES = 250_000

const service = openedAndVerified(() => startService())
const packed = openedPackage(join(ROOT, 'clients', 'cli'))

test('it is packed, installed into an empty folder, and run by its name', () =>
  inProjectWith(packed.file, async (folder) => {
    const { keys } = await service.merchant()
    const env = { ...process.env, GATEWAY_URL: service.url, GATEWAY_API_KEY: keys.test }
    const { stdout } = await run(join(folder, 'node_modules', '.bin', 'mmg'), ['balance', '--json'], {
      cwd: folder,
      env,
    })
    assert.equal(JSON.parse(stdout).mode, 'test')
    const byNpx = await run('npx', ['--offline', '--no-install', 'mmg', '--version'], { cwd: folder, env })
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', NAME, 'package.json'), 'utf8'))
    assert.equal(byNpx.stdout, `${version}\n`)
  }))

test('it is one file that needs nothing but Node, and brings no packages', () =>
  inProjectWith(packed.file, async (folder) => {
    const own = join(folder, 'node_modules', NAME)
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      [NAME],
    )
    assert.deepEqual(readdirSync(own).toSorted(), ['README.md', 'dist', 'package.json'])
    assert.deepEqual(readdirSync(join(own, 'dist')), ['gateway-cli.mjs'])
    const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'))
    assert.deepEqual([manifest.dependencies, manifest.peerDependencies], [undefined, undefined])
    const file = join(own, 'dist', 'gateway-cli.mjs')
    const imported = [...readFileSync(file, 'utf8').matchAll(/^import[^;]*?from"([^"]+)"|;import[^;]*?from"([^"]+)"/gm)]
    const names = imported.map(([, one, other]) => (one ?? other ?? '').replace(/^node:/, ''))
    assert.ok(names.length > 5)
    assert.deepEqual(
      names.filter((name) => !builtinModules.includes(name)),
      [],
    )
    assert.ok(statSync(file).size < MOST_BYTES, `${statSync(file).size} bytes`)
  }))
