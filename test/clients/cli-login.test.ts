import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { assertRefused } from '../helpers/service/command-line.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { made, openedAndVerified } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'
import { type CliUser, onTerminal, openedCli } from './cli-program.ts'
import { signingShop } from './signing-shop.ts'

const service = openedAndVerified(() => startService())
const cli = openedCli()

const nobody = made(async () => ({ url: `http://127.0.0.1:${await freePort()}` }))

async function shop() {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  return { merchant, api, user: cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: merchant.keys.test }) }
}

/** A person whose environment has no key. */
const newcomer = () => cli.newUser({})
const configOf = ({ home }: CliUser) => join(home, '.config', 'mmg', 'config.json')
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('a key that was logged in with is kept for its owner alone, works, and is forgotten', async () => {
  const { merchant } = await shop()
  const user = newcomer()
  const login = await user.run(`login --base-url ${service.url}/`, `${merchant.keys.test}\n`)
  assert.equal(login.code, 0, login.stderr)
  assert.match(login.stdout, /^mode +test$/m)
  assert.deepEqual([modeOf(configOf(user)), modeOf(join(user.home, '.config', 'mmg'))], ['600', '700'])
  assert.deepEqual(JSON.parse(readFileSync(configOf(user), 'utf8')), {
    api_key: merchant.keys.test,
    base_url: service.url,
  })
  assert.equal((await user.json('balance')).mode, 'test')
  const secret = (await user.run('listen --print-secret')).stdout
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{32}\n$/)
  const logout = await user.run('logout')
  assert.deepEqual([logout.code, logout.stdout], [0, 'the key is forgotten here; it still works elsewhere\n'])
  assertRefused(await user.run('balance'), {
    code: 2,
    says: /^mmg: there is no key: run mmg login, or set GATEWAY_API_KEY\n$/,
  })
  assert.equal((await user.run('listen --print-secret')).stdout, secret, 'the secret of the receiver stays')
  assert.equal(modeOf(configOf(user)), '600')
  assert.equal((await user.run('logout')).stdout, 'no key was stored\n')
  for (const { stdout, stderr } of [login, logout]) assert.ok(!`${stdout}${stderr}`.includes(merchant.keys.test))
})

test('the folder of XDG is used, and a live key is warned about and not shown', async () => {
  const { merchant } = await shop()
  const user = cli.newUser({})
  const settings = { ...user.settings, XDG_CONFIG_HOME: join(user.home, 'own') }
  const other = cli.newUser(settings)
  const login = await other.run(`login --base-url ${service.url}`, merchant.keys.live)
  assert.equal(login.code, 0, login.stderr)
  assert.match(login.stderr, /^warning: this is a live key: commands with it move real money, /)
  assert.ok(!`${login.stdout}${login.stderr}`.includes(merchant.keys.live))
  assert.ok(existsSync(join(user.home, 'own', 'mmg', 'config.json')))
})

test('a login that is refused keeps nothing', async () => {
  const { merchant } = await shop()
  const unknown = `sk_test_${'x'.repeat(40)}`
  const cases: [words: string, input: string, code: number, says: RegExp][] = [
    ['', '', 2, /^mmg: there was no key: type it, or send it to the standard input\n$/],
    ['', 'pk_test_abc\n', 2, /^mmg: this is no secret key: it begins with sk_test_ or sk_live_\n$/],
    ['', `${unknown}\n`, 1, /^mmg: invalid api key.* \(unauthorized, request [\w-]+\)\n$/],
    ['--base-url here', merchant.keys.test, 2, /^mmg: baseUrl must be an http or https address\n$/],
    [`--base-url ${nobody.url}`, merchant.keys.test, 1, /^mmg: no answer: ECONNREFUSED \(no_answer\)\n$/],
    ['now', merchant.keys.test, 2, /^mmg: "now" is one word too many: mmg login\n$/],
  ]
  for (const [words, input, code, says] of cases) {
    const user = newcomer()
    const base = words.includes('base-url') ? '' : ` --base-url ${service.url}`
    assertRefused(await user.run(`login${base} ${words}`, input), { code, says })
    assert.ok(!existsSync(configOf(user)))
  }
})

test('the environment wins over the login, and a stored key goes to no other address', async () => {
  const [stored, own] = [await shop(), await shop()]
  const user = newcomer()
  await user.run(`login --base-url ${service.url}`, stored.merchant.keys.test)
  await own.api.charge()
  const list = async (settings: Record<string, string>) => {
    const other = cli.newUser({ ...settings, XDG_CONFIG_HOME: join(user.home, '.config') })
    return await other.run('charges list --json')
  }
  assert.equal(JSON.parse((await list({})).stdout).data.length, 0)
  assert.equal(JSON.parse((await list({ GATEWAY_API_KEY: own.merchant.keys.test })).stdout).data.length, 1)
  const says = new RegExp(
    `your login is for ${service.url}: for ${nobody.url} set GATEWAY_API_KEY too, or log in there`,
  )
  const refused = await list({ GATEWAY_URL: nobody.url })
  assert.deepEqual([refused.code, JSON.parse(refused.stderr).error.code], [2, 'usage'])
  assert.match(refused.stderr, says)
})

test('a key that takes signed requests only works with its private key', async () => {
  const { apiKey, signingKey } = await signingShop(service)
  const settings = { GATEWAY_URL: service.url, GATEWAY_API_KEY: apiKey }
  const user = cli.newUser(settings)
  assertRefused(await user.run('balance'), { code: 1, says: /\(invalid_signature, request / })
  const signing = (file: string) => cli.newUser({ ...settings, GATEWAY_SIGNING_KEY_FILE: file })
  assert.equal((await signing(user.file('key.pem', signingKey)).json('balance')).mode, 'test')
  const nowhere = await signing('/nowhere').run('balance')
  assertRefused(nowhere, { code: 2, says: /^mmg: GATEWAY_SIGNING_KEY_FILE names \/nowhere, which cannot be read\n$/ })
  assertRefused(await signing(user.file('no.pem', 'mine')).run('balance'), {
    code: 2,
    says: /Ed25519 private key as PEM/,
  })
})

test('a key is typed without being shown', onTerminal, async () => {
  const { merchant } = await shop()
  const user = newcomer()
  const typed = `wrong\u007f\u007f\u007f\u007f\u007f${merchant.keys.test}\r`
  const shown = await user.inTerminal(`login --base-url ${service.url}`, [/Secret key .*: $/, typed])
  assert.match(shown, /mode +test/)
  assert.ok(!shown.includes(merchant.keys.test.slice(0, 12)) && !shown.includes('wrong'), shown)
  assert.equal(JSON.parse(readFileSync(configOf(user), 'utf8')).api_key, merchant.keys.test)
  const left = newcomer()
  assert.match(await left.inTerminal('login', [/: $/, 'sk_test_x\u0003']), /nothing was stored/)
  assert.ok(!existsSync(configOf(left)))
})

test('colours are for terminals, unless NO_COLOR is set', onTerminal, async () => {
  const { api, user } = await shop()
  await api.charge()
  const colour = '\u001b['
  assert.ok((await user.inTerminal('charges list')).includes(`${colour}33mauthorized`))
  const plain = cli.newUser({ ...user.settings, NO_COLOR: '1' })
  assert.ok(!(await plain.inTerminal('charges list')).includes(colour))
  assert.ok(!(await user.run('charges list')).stdout.includes(colour))
})
