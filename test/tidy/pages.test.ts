import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineOf, sourcesOf } from './sources.ts'

const PAGES = ['src/web/parts', 'src/web/dashboard', 'src/web/console'].flatMap((folder) =>
  sourcesOf(folder, '.ts', '.tsx'),
)
const product = PAGES.filter(({ path }) => !path.endsWith('.test.ts'))

test('pages send no SQL: they call the operations that the API and the commands call', () => {
  const own = ['src/web/parts/forms/form-results.ts', 'src/web/parts/forms/form-steps.ts']
  const asking = product.filter(({ path, code }) => !own.includes(path) && /\bstatement(?:<|\()/.test(code))
  assert.deepEqual(
    asking.map(({ path }) => path),
    [],
  )
})

test('what a person reads stands in the texts, not in the markup', () => {
  // Words between tags: `>Send it<`. What stands in braces is a value.
  const words = /(?<![=-])>\s*([A-Za-z][A-Za-z ,.'-]*[A-Za-z.])\s*<\//g
  const literal = product
    .filter(({ path }) => path.endsWith('.tsx'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(words)].map((match) => `${path}:${lineOf(text, match.index)} ${match[1]}`),
    )
  assert.deepEqual(literal, [])
})

test('no page holds markup of its own making, a style or a handler, which the policy would refuse', () => {
  const wrong = product.flatMap(({ path, text }) =>
    [...text.matchAll(/dangerouslySetInnerHTML|\sstyle=\{|\son[A-Z]\w+=\{/g)].map(
      (match) => `${path}:${lineOf(text, match.index)} ${match[0].trim()}`,
    ),
  )
  assert.deepEqual(wrong, [])
})

test('the scripts of all pages together stay below 60 KB', () => {
  const scripts = sourcesOf('src/web/parts/assets', '.js')
  assert.ok(scripts.length > 0, 'the scripts were found')
  const bytes = scripts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  assert.ok(bytes <= 60 * 1024, `${bytes} bytes of script`)
  for (const { path, text } of scripts)
    assert.doesNotMatch(text, /innerHTML|outerHTML|document\.write|\beval\b|localStorage|document\.cookie/, path)
})
