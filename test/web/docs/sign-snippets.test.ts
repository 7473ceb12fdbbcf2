import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { promisify } from 'node:util'
import { setKeySigners } from '../../../src/merchants/account/key-signers.ts'
import { listKeys } from '../../../src/merchants/account/list-keys.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { buildSignSnippets } from '../../../src/web/parts/sign-snippets.ts'
import { owner } from '../../helpers/service/actors.ts'
import { opened } from '../../helpers/service/opened.ts'
import { newSigningPair } from '../../helpers/service/sign-request.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = opened(() => startService())
const folder = mkdtempSync(join(tmpdir(), 'gateway-signed-'))
after(() => rmSync(folder, { recursive: true }))

// How each example is run, and what must be installed for it.
const LANGUAGES = {
  curl: { file: 'sign.sh', program: 'bash', needs: ['openssl', 'version'] },
  js: { file: 'sign.mjs', program: process.execPath, needs: [process.execPath, '--version'] },
  python: { file: 'sign.py', program: 'python3', needs: ['python3', '-c', 'import cryptography'] },
  php: {
    file: 'sign.php',
    program: 'php',
    needs: ['php', '-r', 'exit(function_exists("sodium_crypto_sign") ? 0 : 1);'],
  },
} as const

for (const [language, { file, program, needs }] of Object.entries(LANGUAGES))
  test(`the signed charge in ${language} is taken as it is printed, and refused by a key with another pair`, async (t) => {
    const [command = '', ...args] = needs
    if (spawnSync(command, args, { stdio: 'ignore' }).status !== 0) return t.skip(`not here: ${needs.join(' ')}`)
    const merchant = await service.merchant()
    const { id: merchantId, tag } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
    const key = (await listKeys(service.app, { id: merchantId })).find(({ kind }) => kind === 'test')
    const bind = (text: string) =>
      setKeySigners(service.app, owner({ merchantId, tag, cell: 'cell_0', mode: 'test' }), {
        ...{ holder: { id: merchantId }, id: key?.id ?? '', text },
      })
    const pair = newSigningPair()
    writeFileSync(join(folder, 'signing.pem'), pair.privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const [snippet] = buildSignSnippets({ baseUrl: service.url, key: merchant.keys.test }).filter(
      (one) => one.language === language,
    )
    writeFileSync(join(folder, file), `${snippet?.text}\n`)
    const run = () =>
      promisify(execFile)(program, [file], { cwd: folder }).then(
        ({ stdout }) => stdout,
        (error) => `${error.stdout}${error.stderr}`,
      )
    await bind(newSigningPair().publicKey)
    assert.match(await run(), /invalid_signature|HTTP Error 401/)
    await bind(pair.pem)
    assert.match(await run(), /txn_.*authorized/s)
    const charges = await service.rows('select id from charges where merchant_id = $1', [merchantId])
    assert.equal(charges.length, 1)
  })
