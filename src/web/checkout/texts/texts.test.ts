import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEXTS } from './texts.ts'

// The same in all languages: these are only names.
const SAME = ['methods.op1_momo', 'methods.op2_money']

/** Every sentence by its place in the catalogue; its values are shown as `§1`, `§2`, `§3`. */
function sentences(part: unknown, place = ''): [string, string][] {
  if (typeof part === 'string') return [[place, part]]
  if (typeof part === 'function') return [[place, part('§1', '§2', '§3')]]
  return Object.entries(part as object).flatMap(([key, value]) =>
    sentences(value, place === '' ? key : `${place}.${key}`),
  )
}

test('Luganda and Kiswahili contain no English sentence', () => {
  const english = new Map(sentences(TEXTS.en))
  assert.ok(english.size > 100, 'the sentences were found')
  for (const language of ['lg', 'sw'] as const) {
    const left = sentences(TEXTS[language]).filter(([place, text]) => english.get(place) === text)
    assert.deepEqual(
      left.map(([place]) => place),
      SAME,
      language,
    )
  }
})

test('a sentence with values contains all of them in every language', () => {
  const values = (text: string) => [...new Set(text.match(/§\d/g))].sort()
  for (const language of ['lg', 'sw'] as const) {
    const said = new Map(sentences(TEXTS[language]))
    for (const [place, english] of sentences(TEXTS.en))
      assert.deepEqual(values(said.get(place) ?? ''), values(english), `${language} ${place}`)
  }
})
