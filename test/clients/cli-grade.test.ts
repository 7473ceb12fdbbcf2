import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyWebhook } from '../../clients/typescript/src/webhooks-verify.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { opened } from '../helpers/service/opened.ts'
import { answering } from '../helpers/web/webhooks.ts'
import { openedCli } from './cli-program.ts'

const receiver = opened(() => startReceiver())
const cli = openedCli()
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** A receiver that takes what is signed with this secret. */
const believing = (secret: string) =>
  receiver.behave((response) => {
    const { body, headers } = receiver.received.at(-1) as (typeof receiver.received)[number]
    verifyWebhook(body, headers, { secret }).then(
      () => response.writeHead(204).end(),
      () => response.writeHead(401).end(),
    )
  })

test('a receiver that checks as our client does is right in everything, without a key, with the secret of listen or another', async () => {
  const user = cli.newUser({})
  believing((await user.run('listen --print-secret')).stdout.trim())
  const ran = await user.run(`grade ${receiver.url}`)
  assert.equal(ran.code, 0, ran.stdout + ran.stderr)
  assert.match(ran.stdout, /right {2}A correctly signed message\n {4}It takes a correctly signed message\.\n/)
  // How fast it was depends on the machine.
  assert.match(ran.stdout, /\n(14 right, 0 wrong, 0|13 right, 0 wrong, 1) could be better\n/)
  assert.equal(ran.stdout.match(/^right {2}(?!How fast)/gm)?.length, 13)
  assert.match(ran.stderr, /Only answers can be seen from here/)
  assert.equal(receiver.received.length, 115)
  assert.ok(receiver.received.every(({ event }) => event.data.sample === true && event.data.mode === 'test'))
  believing(SECRET)
  assert.equal((await user.run(`grade ${receiver.url} --secret ${SECRET}`)).code, 0)
})

test('what it does wrong is named, and makes the exit code 1', async () => {
  receiver.behave(answering(200))
  const { findings } = await cli.newUser({}).json(`grade ${receiver.url}`)
  const wrong = findings.filter(({ verdict, name }: any) => verdict !== 'right' && name !== 'fast')
  assert.deepEqual(
    wrong.map(({ name }: any) => name),
    ['forged', 'changed', 'unsigned', 'old'],
  )
  const ran = await cli.newUser({}).run(`grade ${receiver.url}`)
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /WRONG {2}A message signed with another secret\n {4}It takes what anybody has signed/)
})

test('where nobody listens nothing else is tried; other addresses are refused', async () => {
  const user = cli.newUser({})
  const { findings } = await user.json(`grade http://127.0.0.1:${await freePort()}/hook`)
  assert.match(findings[0].says, /It gave no answer \(nobody listens there\)\. Check that it runs/)
  assert.equal(findings.filter(({ verdict }: any) => verdict === 'skipped').length, 13)
  const elsewhere = await user.run('grade http://1.1.1.1/hook')
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.stderr, /1\.1\.1\.1 is 1\.1\.1\.1, neither this machine nor its network: add --anywhere/)
  const wrong = await user.run('grade nowhere')
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /must be an http or https address, such as http:\/\/localhost:3000\/hook/)
  assert.match((await user.run('grade')).stderr, /URL is missing: mmg grade URL/)
})
