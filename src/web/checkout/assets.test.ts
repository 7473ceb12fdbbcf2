import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CHECKOUT_ASSETS } from './assets.ts'

const SCRIPTS = Object.entries(CHECKOUT_ASSETS).filter(([name]) => name.endsWith('.js'))
const SCRIPT_BYTES = 3_500

test('the version of a file depends on its bytes', () => {
  for (const { body, href, path } of Object.values(CHECKOUT_ASSETS)) {
    const digest = createHash('sha256').update(body).digest('hex')
    assert.equal(href, `${path}?v=${digest.slice(0, 8)}`)
  }
})

test('the scripts are small and use nothing newer than ES2017', () => {
  assert.equal(SCRIPTS.length, 4)
  for (const [name, { body }] of SCRIPTS) {
    const text = body.toString('utf8')
    assert.ok(body.length < SCRIPT_BYTES, `${name} has ${body.length} bytes`)
    assert.doesNotMatch(text, /\?\.|\?\?|\{ \.\.\.|catch \{|replaceAll|\.finally\(|\.at\(/, name)
  }
})

test('no script writes HTML, evaluates text or stores anything on the phone', () => {
  for (const [name, { body }] of SCRIPTS)
    assert.doesNotMatch(body.toString('utf8'), /innerHTML|outerHTML|document\.write|eval|Storage|cookie/, name)
})
