import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseCallbackReport, parseMachineCallback } from '../../../src/selling/vending/callbacks/callback-body.ts'
import {
  buildSignedBases,
  computeSignature,
  findSigner,
  parseMembers,
} from '../../../src/selling/vending/callbacks/callback-signing.ts'

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'machine-makers.md'), 'utf8')
const SIGN = '76f1052260991e085a760105a41e8ef9'

/** The first block of code below this heading. */
function codeUnder(heading: string): string {
  const after = PAGE.split(`\n${heading}\n`)[1]
  assert.ok(after, heading)
  return after.split('```')[1]?.trim() ?? ''
}

test('the message on the page is one that we would take', () => {
  const [json = ''] = /^\{\n(?:.+\n)+?\}$/m.exec(PAGE) ?? []
  const callback = parseMachineCallback(Buffer.from(json))
  assert.equal(callback.sign, SIGN)
  assert.equal(findSigner(['s3cr3t'], callback), 0)
  assert.deepEqual(parseCallbackReport(callback), {
    kind: 'done',
    units: 1,
    result: [{ spbh: '1', chsl: 1, spmc: 'Water' }],
  })
})

test('the further pairs on the page are right', () => {
  const [json = ''] = /\{"ddbh":"lnk_2".*?\}/.exec(PAGE) ?? []
  const pairs = [...PAGE.matchAll(/^\| `(ddbh=lnk_2.*)` \| `([0-9a-f]{32})` \|$/gm)].map(([, base, sign]) => [
    base,
    sign,
  ])
  assert.equal(pairs.length, 2)
  assert.deepEqual(
    pairs,
    buildSignedBases(parseMembers(json)).map((base) => [
      base,
      computeSignature('s3cr3t', { timestamp: '1724750000', base }),
    ]),
  )
})

for (const [heading, command, args] of [
  ['### Node', process.execPath, ['--input-type=module', '-']],
  ['### Python', 'python3', ['-']],
  ['### PHP', 'php', []],
] as const)
  test(`the code for ${heading.slice(4)} signs as it says`, (context) => {
    const ran = spawnSync(command, args, { input: codeUnder(heading), encoding: 'utf8' })
    // The program is missing, or (EACCES) lies in a folder of the PATH that this user may not enter.
    if (['ENOENT', 'EACCES'].includes((ran.error as NodeJS.ErrnoException | undefined)?.code ?? ''))
      return context.skip(`${command} cannot be started here`)
    assert.equal(ran.stderr, '')
    assert.equal(ran.stdout, `${SIGN}\n`)
  })
