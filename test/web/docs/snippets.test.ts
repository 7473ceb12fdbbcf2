import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

// The examples of the guide as a reader copies them, in each language that this machine has.
const service = opened(() => startService())
const RAN_WITH: Readonly<Record<string, [command: string, args: readonly string[]]>> = {
  curl: ['bash', ['-s']],
  js: [process.execPath, ['--input-type=module', '-']],
  python: ['python3', ['-']],
  php: ['php', []],
}

// The address that a service has before it listens.
const NO_ADDRESS = /http:\/\/127\.0\.0\.1:0\b/g

async function exampleOf(page: string, language: string): Promise<string> {
  const text = await (await fetch(`${service.url}/docs/${page}.md`)).text()
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text) ?? []
  assert.ok(code, `${page} has no example in ${language}`)
  return code.replaceAll(NO_ADDRESS, service.url)
}

/** What the program prints; null where this machine cannot run the language, or lacks what the program calls. */
function run(language: string, code: string, env: Record<string, string> = {}): Promise<string | null> {
  const [command, args] = RAN_WITH[language] ?? ['', []]
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { PATH: process.env.PATH ?? '', ...env } })
    const printed = { out: '', err: '' }
    child.stdout.on('data', (piece) => (printed.out += piece))
    child.stderr.on('data', (piece) => (printed.err += piece))
    // ENOENT, or EACCES in a folder of the PATH that this user may not enter.
    child.on('error', () => resolve(null))
    child.stdin.on('error', () => undefined)
    child.on('close', (status) => {
      if (/undefined function curl_init|curl: command not found/i.test(printed.out + printed.err)) return resolve(null)
      if (status === 0) return resolve(printed.out)
      reject(new Error(`${language} ended with ${status}: ${printed.err}`))
    })
    child.stdin.end(code)
  })
}

const skip = (context: TestContext, language: string) => context.skip(`${language} cannot be run here`)

for (const language of Object.keys(RAN_WITH))
  test(`the first request of the guide makes a charge, in ${language}`, async (context) => {
    const { keys } = await service.merchant({ handle: `first-${language}` })
    const code = (await exampleOf('start', language)).replace('sk_test_...', keys.test)
    const printed = await run(language, code)
    if (printed === null) return skip(context, language)
    assert.match(printed, /authorized/)
    const { body } = await service.client(keys.test).get('/v1/charges?reference=order-1042')
    assert.deepEqual([body.data.length, body.data[0].amount], [1, 5000])
  })

for (const language of Object.keys(RAN_WITH))
  test(`the example of a fresh business for tests makes one and adds its money, in ${language}`, async (context) => {
    const { keys } = await service.merchant({ handle: `fresh-${language}` })
    const code = (await exampleOf('testing', language)).replace('sk_test_...', keys.test)
    const printed = await run(language, code)
    if (printed === null) return skip(context, language)
    assert.match(printed, /test_funds/)
    const api = service.client(keys.test)
    const { body } = await api.get('/v1/test/accounts')
    assert.deepEqual([body.data.length, body.data[0].name], [1, 'CI run 4711'])
    assert.equal((await api.get('/v1/balance')).body.balances[0].available, 0)
  })

const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0'
const BODY = '{"data":{},"event":"test.ping","id":"evt_1","timestamp":1}'
const sign = (body: string) => createHmac('sha256', SECRET).update(body).digest('hex')

/** The lines around the example: the receiver's variables, with this header, and what it found. */
const RECEIVERS: Readonly<Record<string, (code: string, signature: string) => string>> = {
  js: (code, signature) =>
    `const rawBody = Buffer.from('${BODY}'), request = { headers: { 'x-service-signature': '${signature}' } }\n${code}\nconsole.log(genuine)`,
  python: (code, signature) =>
    `class request: headers = {"X-Service-Signature": "${signature}"}\nraw_body, secret = b'${BODY}', "${SECRET}"\n${code}\nprint("true" if genuine else "false")`,
  php: (code, signature) =>
    `<?php $rawBody = '${BODY}'; $secret = '${SECRET}'; $_SERVER['HTTP_X_SERVICE_SIGNATURE'] = '${signature}'; ?>${code}\necho $genuine ? 'true' : 'false';`,
}

for (const [language, receive] of Object.entries(RECEIVERS))
  test(`the example that verifies a webhook takes ours and no other, in ${language}`, async (context) => {
    const code = await exampleOf('webhooks', language)
    const signatures = { [sign(BODY)]: 'true', [sign(`${BODY} `)]: 'false', '': 'false', zz: 'false' }
    for (const [signature, genuine] of Object.entries(signatures)) {
      const printed = await run(language, receive(code, signature), { WEBHOOK_SECRET: SECRET })
      if (printed === null) return skip(context, language)
      assert.equal(printed.trim(), genuine, signature)
    }
  })
