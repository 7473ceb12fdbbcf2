import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { kampalaMonth } from '../../src/platform/time/kampala.ts'
import { makeInstallation } from '../crash/installation.ts'
import { runProgram, runProgramAt } from '../helpers/service/command-line.ts'
import { longTest, test } from '../helpers/service/parts.ts'
import { startService } from '../helpers/service/test-service.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const COPIED = ['bin', 'scripts', 'src', 'package.json', 'package-lock.json', 'tsconfig.json']

longTest('what runs is what is on the disk: an edited source is bundled before the next start', async (t) => {
  const checkout = mkdtempSync(join(tmpdir(), 'checkout-'))
  t.after(() => rmSync(checkout, { recursive: true, force: true }))
  for (const name of COPIED) cpSync(join(ROOT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  const help = async () => {
    const { code, stdout, stderr } = await runProgramAt(checkout, ['help'])
    assert.equal(code, 0, stderr)
    return stdout
  }
  assert.match(await help(), /run the service/)

  const commands = join(checkout, 'src', 'program', 'commands', 'frame', 'run-command.ts')
  writeFileSync(commands, readFileSync(commands, 'utf8').replace('run the service', 'run it as edited'))
  assert.match(await help(), /run it as edited/)

  writeFileSync(commands, 'this is no program')
  const broken = await runProgramAt(checkout, ['help'])
  assert.equal(broken.code, 1)
  assert.equal(broken.stdout, '', 'the program of before does not run instead')
  assert.match(broken.stderr, /src\/program\/commands\/frame\/run-command\.ts:1/)
})

longTest('what is loaded late or lies outside the bundle is found: pages and their files, PDF, pictures', async () => {
  const installation = await makeInstallation()
  try {
    const { handle, keys } = await installation.merchant('bundle-shop')
    const picture = join(installation.dataDir, 'tea.png')
    await sharp({ create: { width: 40, height: 40, channels: 3, background: '#1f7a5c' } })
      .png()
      .toFile(picture)
    const tea = ['storefront', 'add', handle, '--name', 'Tea', '--amount', '1000', '--picture', picture]
    const added = await installation.command(tea)
    assert.equal(added.code, 0, added.stderr)

    await installation.startReady()
    const typeOf = async (path: string) => {
      const headers = { authorization: `Bearer ${keys.test}` }
      const answer = await fetch(`${installation.url}${path}`, { headers })
      assert.ok((await answer.arrayBuffer()).byteLength > 100, path)
      return `${answer.status} ${answer.headers.get('content-type')?.split(';')[0]}`
    }
    const types = {
      '/docs': 'text/html',
      '/docs/machines': 'text/html',
      '/docs/assets/docs.css': 'text/css',
      '/docs/assets/swagger-ui-bundle.js': 'application/javascript',
      '/pay/assets/pay.js': 'text/javascript',
      [`/pay/@${handle}`]: 'text/html',
      [`/v1/statements/${kampalaMonth(installation.clock.now())}.pdf`]: 'application/pdf',
    }
    for (const [path, type] of Object.entries(types)) assert.equal(await typeOf(path), `200 ${type}`, path)
    const set = (url: string) =>
      installation.command(['merchants', 'set', handle, '--webhook-url', url], {
        WEBHOOK_ALLOW_PRIVATE: '',
      })
    const hook = installation.merchants[0]?.receiver.url ?? ''
    assert.equal((await set(hook)).code, 0, 'a command allows what the service on its data folder allows')
    const refused = await set('http://127.0.0.1:1/hook')
    assert.match(refused.stderr, /not reachable from the public internet\n.*WEBHOOK_ALLOW_PRIVATE=127\.0\.0\.1:1/)
    const beyond = await fetch(`${installation.url}/docs/assets/docs.css`, {
      headers: { range: 'bytes=9999999-' },
    })
    assert.equal(beyond.status, 416)
    assert.match(beyond.headers.get('content-range') ?? '', /^bytes \*\/\d+$/)
    await installation.killAll()
    assert.equal((await set(hook)).code, 1, 'and not any more when that service is dead')
  } finally {
    await installation.end()
  }
})

test('a fault of ours names the line of the source where it happened, not one of the bundle', async () => {
  const service = await startService()
  try {
    const settings = {
      DATABASE_URL: service.database.url,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    await service.rows('alter table merchants rename column email to elsewhere')
    const { code, stdout, stderr } = await runProgram(['merchants', 'list'], settings)
    assert.deepEqual([code, stdout], [1, ''])
    const line = /src\/platform\/db\/database\.ts:(\d+)/.exec(stderr)?.[1]
    assert.ok(line, stderr)
    const source = readFileSync(join(ROOT, 'src', 'platform', 'db', 'database.ts'), 'utf8').split('\n')
    assert.match(source[Number(line) - 1] ?? '', /await|query/)
    assert.doesNotMatch(stderr, /dist\/program/)
  } finally {
    await service.close()
  }
})
